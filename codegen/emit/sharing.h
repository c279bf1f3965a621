// File: codegen/emit/sharing.h
//
// How the threads of a GPU kernel share its tasks. A block is ntid.x by ntid.y threads, at most
// kBlockThreads.
//
//   kNothing  Each thread takes one task, numbered over the whole grid.
//   kRows     A team of threads shares one task: the ntid.x threads that have one tid.y, which are
//             whole warps. A block holds several teams only if each is one warp, so that a team of
//             several warps may use the block's barrier.
//   kColumns  A block takes ntid.x neighbouring tasks, one for each tid.x; the threads of one tid.x
//             share theirs, in groups of kColumnShares. A group takes a chunk of a reduction; where
//             there are few columns, a block has fewer of them and more groups. Behind the last
//             task a block repeats it, so that all of its threads come to its barriers.
//   kTiles    A block of kBlockThreads computes one tile of a matrix. How large a tile is follows
//             from how the block is launched: kBlockThreads x 1 for a coarse tile, half as many
//             x 2 for a fine one.
//   kSquares  A block of kWarp x kColumnShares threads computes a square of an output, and reads
//             what lies across it through shared memory. Where squares would lie mostly beyond the
//             output, a block is kBlockThreads x 1, and each thread computes one element.
#ifndef SWAGE_CODEGEN_EMIT_SHARING_H_
#define SWAGE_CODEGEN_EMIT_SHARING_H_

#include <cstdint>

namespace swage::emit {

inline constexpr int kWarp = 32;           // threads
inline constexpr int kBlockThreads = 256;  // the most that a block of any kernel has
inline constexpr int kBlockWarps = kBlockThreads / kWarp;

enum class Sharing : uint8_t { kNothing, kRows, kColumns, kTiles, kSquares };
inline constexpr int kColumnShares = kBlockThreads / kWarp;

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SHARING_H_
