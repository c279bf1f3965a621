// File: cache/module_key.h
//
// What decides whether two modules compile to the same program, as bytes: everything but names and
// debug information. Computations and instructions are numbered in post-order, so equal graphs give
// equal bytes whatever their instructions are called. Read by comparison only.
#ifndef SWAGE_CACHE_MODULE_KEY_H_
#define SWAGE_CACHE_MODULE_KEY_H_

#include <string>

#include "compiler/ir/module.h"

namespace swage::cache {

std::string CanonicalBytes(const ir::Module& module);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_MODULE_KEY_H_
