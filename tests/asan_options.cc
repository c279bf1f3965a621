// For tests over a shared library that has LLVM inside, which hides its own word on this: LLVM's
// headers poison memory of its allocators in a build with the address sanitizer, but Debian's
// archives, compiled without it, never lift the poison.
#ifdef __SANITIZE_ADDRESS__
extern "C" __attribute__((visibility("default"), used)) const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
#endif
