// File: compiler/ir/window_text.h
//
// Attributes whose syntax is their own: slice, padding, window, dim_labels, and dims as values.
//
//   slice={[0:8:2], [1:seq]}   padding=1_2_1x0_3   window={size=3x3 stride=2x1 pad=1_2x0_1}
//   dim_labels=b01f_01io->b01f
//
// In padding a symbolic dim stands in parentheses, since names may contain '_' and 'x':
// `padding=0_(64-seq)x0_0`.
#ifndef SWAGE_COMPILER_IR_WINDOW_TEXT_H_
#define SWAGE_COMPILER_IR_WINDOW_TEXT_H_

#include "compiler/ir/attribute_text.h"

namespace swage::ir {

StatusOr<Dim> ParseDimValue(AttributeReader& reader);
void PrintDimValue(Dim dim, AttributeWriter& writer);

Status ParseSlice(AttributeReader& reader, SliceAttrs* attrs);
void PrintSlice(const SliceAttrs& attrs, AttributeWriter& writer);

Status ParsePadding(AttributeReader& reader, PadAttrs* attrs);
void PrintPadding(const PadAttrs& attrs, AttributeWriter& writer);

Status ParseWindow(AttributeReader& reader, WindowAttrs* attrs);
void PrintWindow(const WindowAttrs& attrs, AttributeWriter& writer);
Status ParseConvolutionWindow(AttributeReader& reader, ConvolutionAttrs* attrs);
void PrintConvolutionWindow(const ConvolutionAttrs& attrs, AttributeWriter& writer);

Status ParseDimLabels(AttributeReader& reader, ConvolutionAttrs* attrs);
void PrintDimLabels(const ConvolutionAttrs& attrs, AttributeWriter& writer);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_WINDOW_TEXT_H_
