// File: compiler/passes/padding/rule_table.h
//
// The padding rule of every op as the table of docs/buckets.md, from the op table.
#ifndef SWAGE_COMPILER_PASSES_PADDING_RULE_TABLE_H_
#define SWAGE_COMPILER_PASSES_PADDING_RULE_TABLE_H_

#include <string>

namespace swage::passes::padding {

// Markdown: a row per rule, with what it does and the ops that have it. `swage passes
// --padding-rules` prints it, and a test holds the documentation to it.
std::string RuleTable();

}  // namespace swage::passes::padding

#endif  // SWAGE_COMPILER_PASSES_PADDING_RULE_TABLE_H_
