// File: runtime/export.h
//
// SWAGE_API marks what libswage.so exports; everything else is hidden, so that Swage's LLVM and
// Abseil never clash with another copy in the process. Put it on public functions and classes, and
// always on classes that are thrown.
#ifndef SWAGE_RUNTIME_EXPORT_H_
#define SWAGE_RUNTIME_EXPORT_H_

#define SWAGE_API __attribute__((visibility("default")))

#endif  // SWAGE_RUNTIME_EXPORT_H_
