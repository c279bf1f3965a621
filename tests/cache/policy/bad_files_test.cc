// Files with problems, each with all that is said of it.
#include <gtest/gtest.h>

#include <span>

#include "cache/config.h"

namespace swage::cache {
namespace {

struct BadFile {
  const char* text;
  const char* errors;  // without the name of the file
};

constexpr BadFile kWhole[] = {
    {"", "1:1: error: missing required key 'format'; this is format 1"},
    {"format = 2\n", "1:10: error: format 2 is not known; this build reads 1"},
    {"format = 'one'\n", "1:10: error: format: expected integer, got string \"one\""},
    {"format = 1\nformat = 1\n",
     "2:10: error: Error while parsing key-value pair: cannot redefine existing integer 'format'"},
};

// All others begin with the line "format = 1".
constexpr BadFile kTop[] = {
    {"[defaults\n", "2:10: error: Error while parsing table header: expected ']', saw '\\n'"},
    {"[defaults]\n[defaults]\n",
     "3:1: error: Error while parsing table header: cannot redefine existing table 'defaults'"},
    {"simbols = 1\n", "2:1: error: unknown key 'simbols'; did you mean 'symbols'?"},
    {"symbols = 3\n", "2:11: error: symbols: expected table, got integer 3"},
    {"functions = []\n", "2:13: error: functions: expected table, got array"},
    {"defaults = true\n", "2:12: error: defaults: expected table, got true"},
};

constexpr BadFile kDefaults[] = {
    {"defaults.mode = 'buckets'\n",
     "2:17: error: defaults.mode: expected 'exact', 'bucket' or 'symbolic', got 'buckets'; did you "
     "mean 'bucket'?"},
    {"defaults.mode = 3\n", "2:17: error: defaults.mode: expected string, got integer 3"},
    {"defaults.overflow = 'none'\n",
     "2:21: error: defaults.overflow: expected 'exact', 'error' or 'multiple', got 'none'"},
    {"defaults.overflow = 'multiple'\n",
     "2:21: error: defaults.overflow: 'multiple' needs overflow_multiple"},
    {"[defaults]\noverflow = 'multiple'\noverflow_multiple = 0\n",
     "4:21: error: defaults.overflow_multiple: must be at least 1, got 0"},
    {"defaults.overflow_multiple = 512\n",
     "2:30: error: defaults.overflow_multiple: given, but overflow is 'exact'"},
    {"[defaults]\noverflow = 'error'\noverflow_multiple = 512\n",
     "4:21: error: defaults.overflow_multiple: given, but overflow is 'error'"},
    {"defaults.unpaddable = 'pad'\n",
     "2:23: error: defaults.unpaddable: expected 'exact' or 'error', got 'pad'"},
    {"defaults.on_limit = 'largest_bucket'\n",
     "2:21: error: defaults.on_limit: expected 'error', 'largest-bucket' or 'interpret', got "
     "'largest_bucket'; did you mean 'largest-bucket'?"},
    {"defaults.on_miss = 'compile'\n",
     "2:20: error: defaults.on_miss: expected 'wait', 'background', 'error' or 'exact', got "
     "'compile'"},
    {"defaults.max_compiles = -1\n",
     "2:25: error: defaults.max_compiles: must be at least 0, got -1"},
    {"defaults.max_compiles = 4.5\n",
     "2:25: error: defaults.max_compiles: expected integer, got float"},
    {"defaults.max_waste = 1.5\n", "2:22: error: defaults.max_waste: must be from 0 to 1, got 1.5"},
    {"defaults.max_waste = nan\n", "2:22: error: defaults.max_waste: must be finite, got nan"},
    {"defaults.max_waste = -inf\n", "2:22: error: defaults.max_waste: must be finite, got -inf"},
    {"defaults.max_waste = 1979-05-27\n",
     "2:22: error: defaults.max_waste: expected number, got date or time"},
    {"defaults.pad_value = 'one'\n",
     "2:22: error: defaults.pad_value: expected a number or 'zero', got string \"one\""},
    {"defaults.pad_value = [0]\n",
     "2:22: error: defaults.pad_value: expected a number or 'zero', got array"},
    {"defaults.max_compile = 3\n",
     "2:10: error: unknown key 'max_compile' in defaults; did you mean 'max_compiles'?"},
    {"defaults.warmup = []\n", "2:10: error: unknown key 'warmup' in defaults"},
};

constexpr BadFile kSymbols[] = {
    {"symbols.a.max = 9223372036854775808\n",
     "2:36: error: Error while parsing decimal integer: '9223372036854775808' is not representable "
     "in 64 bits"},
    {"symbols.seq = 64\n", "2:15: error: symbols.seq: expected table, got integer 64"},
    {"symbols.'se q' = { max = 3 }\n",
     "2:9: error: 'se q' is not a name for a symbol: it is a letter or '_', then letters, digits, "
     "'_' or '.', at most 256"},
    {"symbols.seq.max = '64'\n",
     "2:19: error: symbols.seq.max: expected integer, got string \"64\""},
    {"symbols.seq.max = 1e3\n", "2:19: error: symbols.seq.max: expected integer, got float"},
    {"symbols.seq.min = -1\n", "2:19: error: symbols.seq.min: must be at least 0, got -1"},
    {"[symbols.seq]\nmin = 256\nmax = 128\n",
     "4:7: error: symbols.seq.max (128) is below symbols.seq.min (256)"},
    {"[symbols.seq]\nmultiple_of = 0\n",
     "3:15: error: symbols.seq.multiple_of: must be at least 1, got 0"},
    {"[symbols.seq]\nmin = 3\nmax = 5\nmultiple_of = 8\n",
     "5:15: error: symbols.seq.multiple_of: there is no multiple of 8 from 3 to 5"},
    {"[symbols.seq]\nmax = 317\nmultiple_of = 512\n",
     "4:15: error: symbols.seq.multiple_of: no size but 0: there is no multiple of 512 from 1 to "
     "317"},
    {"[symbols.seq]\nmultiple_of = 8\nbuckets = { kind = 'list', sizes = [2, 4] }\n",
     "3:15: error: symbols.seq.multiple_of: no size but 0: there is no multiple of 8 from 1 to 4"},
    {"[symbols.seq]\nmax = 128\nhint = 512\n",
     "4:8: error: symbols.seq.hint: 512 is above max (128)"},
    {"[symbols.seq]\nmin = 8\nmax = 128\nhint = 4\n",
     "5:8: error: symbols.seq.hint: 4 is below min (8)"},
    {"[symbols.seq]\nmax = 128\nhint = 100\nmultiple_of = 8\n",
     "4:8: error: symbols.seq.hint: 100 is not a multiple of 8"},
    {"[symbols.seq]\nmaximum = 128\n",
     "3:1: error: unknown key 'maximum' in symbols.seq; did you mean 'max'?"},
};

constexpr BadFile kBuckets[] = {
    {"symbols.seq.buckets = 'pow2'\n",
     "2:23: error: symbols.seq.buckets: expected table, got string \"pow2\""},
    {"symbols.seq.buckets = {}\n",
     "2:23: error: symbols.seq.buckets: missing key 'kind': 'list', 'linear', 'pow2', 'geometric', "
     "'hybrid', 'exact' or 'learned'"},
    {"symbols.seq.buckets = { kind = 'geometrical' }\n",
     "2:32: error: symbols.seq.buckets.kind: expected 'list', 'linear', 'pow2', 'geometric', "
     "'hybrid', 'exact' or 'learned', got 'geometrical'; did you mean 'geometric'?"},
    {"symbols.seq.buckets = { kind = 2 }\n",
     "2:32: error: symbols.seq.buckets.kind: expected string, got integer 2"},
    {"symbols.seq.buckets = { kind = 'list' }\n",
     "2:23: error: symbols.seq.buckets: kind 'list' needs the key 'sizes'"},
    {"symbols.seq.buckets = { kind = 'list', sizes = 3 }\n",
     "2:48: error: symbols.seq.buckets.sizes: expected array, got integer 3"},
    {"symbols.seq.buckets = { kind = 'list', sizes = [] }\n",
     "2:48: error: symbols.seq.buckets.sizes: must not be empty"},
    {"symbols.seq.buckets = { kind = 'list', sizes = [0, 8] }\n",
     "2:49: error: symbols.seq.buckets.sizes[0]: must be at least 1, got 0"},
    {"symbols.seq.buckets = { kind = 'list', sizes = [16, 8] }\n",
     "2:53: error: symbols.seq.buckets.sizes: not strictly increasing: 8 after 16"},
    {"symbols.seq.buckets = { kind = 'list', sizes = [8, 8] }\n",
     "2:52: error: symbols.seq.buckets.sizes: not strictly increasing: 8 after 8"},
    {"symbols.seq.buckets = { kind = 'list', sizes = [8, 'a'] }\n",
     "2:52: error: symbols.seq.buckets.sizes[1]: expected integer, got string \"a\""},
    {"symbols.seq = { max = 64, buckets = { kind = 'list', sizes = [8, 128] } }\n",
     "2:62: error: symbols.seq.buckets.sizes: 128 is above max (64)"},
    {"symbols.seq = { min = 9, buckets = { kind = 'list', sizes = [8, 128] } }\n",
     "2:61: error: symbols.seq.buckets.sizes: 8 is below min (9)"},
    {"symbols.seq = { min = 256, buckets = { kind = 'list', sizes = [8, 128] } }\n",
     "2:23: error: the largest size (128) is below symbols.seq.min (256)"},
    {"symbols.seq = { max = 64, buckets = { kind = 'linear' } }\n",
     "2:37: error: symbols.seq.buckets: kind 'linear' needs the key 'step'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'linear', step = 0 } }\n",
     "2:63: error: symbols.seq.buckets.step: must be at least 1, got 0"},
    {"symbols.seq = { buckets = { kind = 'linear', step = 8 } }\n",
     "2:27: error: symbols.seq.buckets: kind 'linear' needs the largest size: symbols.seq.max"},
    {"symbols.seq = { buckets = { kind = 'hybrid', step = 8 } }\n",
     "2:27: error: symbols.seq.buckets: kind 'hybrid' needs the largest size: symbols.seq.max"},
    {"symbols.seq = { max = 64, buckets = { kind = 'linear', step = 8, ratio = 2.0 } }\n",
     "2:66: error: symbols.seq.buckets.ratio: kind 'linear' has no key 'ratio'"},
    {"symbols.seq = { max = 14368, buckets = { kind = 'linear', step = 1 } }\n",
     "2:40: error: symbols.seq.buckets: needs more than 10000 buckets to reach max (14368)"},
    {"symbols.seq = { max = 64, buckets = { kind = 'pow2', start = 12 } }\n",
     "2:62: error: symbols.seq.buckets.start: must be a power of two, got 12"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric' } }\n",
     "2:37: error: symbols.seq.buckets: kind 'geometric' needs the key 'ratio'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric', ratio = 1.0 } }\n",
     "2:67: error: symbols.seq.buckets.ratio: must be a number above 1, got 1"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric', ratio = inf } }\n",
     "2:67: error: symbols.seq.buckets.ratio: must be finite, got inf"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric', ratio = nan } }\n",
     "2:67: error: symbols.seq.buckets.ratio: must be finite, got nan"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric', ratoi = 1.5 } }\n",
     "2:37: error: symbols.seq.buckets: kind 'geometric' needs the key 'ratio'\n2:59: error: "
     "unknown key 'ratoi' in symbols.seq.buckets; did you mean 'ratio'?"},
    {"symbols.seq = { max = 64, buckets = { kind = 'geometric', ratio = 1.5, align = -16 } }\n",
     "2:80: error: symbols.seq.buckets.align: must be at least 1, got -16"},
    {"symbols.seq = { max = 64, buckets = { kind = 'exact', step = 1 } }\n",
     "2:55: error: symbols.seq.buckets.step: kind 'exact' has no key 'step'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', k = 3 } }\n",
     "2:37: error: symbols.seq.buckets: kind 'learned' needs the key 'file'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = 'x' } }\n",
     "2:37: error: symbols.seq.buckets: kind 'learned' needs either 'k', the number of buckets, or "
     "'compile_cost'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = 'x', k = 3, compile_cost = 4 "
     "} }\n",
     "2:37: error: symbols.seq.buckets: kind 'learned' needs either 'k', the number of buckets, or "
     "'compile_cost'"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = 'x', k = 0 } }\n",
     "2:73: error: symbols.seq.buckets.k: must be at least 1, got 0"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = 'x', k = 1000 } }\n",
     "2:73: error: symbols.seq.buckets.k: must be at most 256, got 1000"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = '', k = 3 } }\n",
     "2:64: error: symbols.seq.buckets.file: the path is empty"},
    {"symbols.seq = { max = 64, buckets = { kind = 'learned', file = '/no/such/trace', k = 3 } }\n",
     "2:64: error: symbols.seq.buckets.file: [file] cannot read '/no/such/trace': No such file or "
     "directory"},
};

constexpr BadFile kFunctions[] = {
    {"functions.encode = 3\n", "2:20: error: functions.encode: expected table, got integer 3"},
    {"functions.'' = {}\n", "2:11: error: functions: a name has 1 to 128 bytes, got 0"},
    {"[functions.encode]\nmodes = 'exact'\n",
     "3:1: error: unknown key 'modes' in functions.encode; did you mean 'mode'?"},
    {"[functions.score.final]\nmode = 'exact'\n",
     "2:18: error: unknown key 'final' in functions.score; a name with a dot is quoted: "
     "[functions.\"score.final\"]"},
    {"[functions.'a*']\n[functions.'*a']\n",
     "3:1: error: functions: '*a' says as much as 'a*' in line 2, and some names match both"},
    {"functions.encode.args = 1\n",
     "2:25: error: functions.encode.args: expected array, got integer 1"},
    {"functions.encode.args = [1]\n",
     "2:26: error: functions.encode.args[0]: expected table, got integer 1"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ dims = ['seq'] }]\n",
     "3:26: error: functions.encode.args[0]: needs either 'index' or 'name'"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, name = 'x', dims "
     "= ['seq'] }]\n",
     "3:26: error: functions.encode.args[0]: needs either 'index' or 'name'"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = -1, dims = ['seq'] "
     "}]\n",
     "3:36: error: functions.encode.args[0].index: must be at least 0, got -1"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ name = '', dims = ['seq'] "
     "}]\n",
     "3:35: error: functions.encode.args[0].name: must not be empty"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0 }]\n",
     "3:26: error: functions.encode.args[0]: missing key 'dims'"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, dims = 'seq' }]\n",
     "3:46: error: functions.encode.args[0].dims: expected array, got string \"seq\""},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, dims = ['sq'] "
     "}]\n",
     "3:47: error: functions.encode.args[0].dims[0]: undefined symbol 'sq'; did you mean 'seq'?"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, dims = [-1] }]\n",
     "3:47: error: functions.encode.args[0].dims[0]: must be at least 0, got -1"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, dims = [1.5] }]\n",
     "3:47: error: functions.encode.args[0].dims[0]: expected a symbol, an integer or '*', got "
     "float"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.args = [{ index = 0, dims = ['*'] }, { "
     "index = 0, dims = [] }]\n",
     "3:55: error: functions.encode.args[1]: an earlier entry has the same index or name"},
    {"symbols.seq = { min = 1, max = 64 }\n[functions.encode]\nargs = [{ index = 0, dims = ['*'] "
     "}]\nsymbols.seq.max = 32\n",
     "5:9: error: functions.encode.symbols.seq: no argument of this function has a dimension "
     "'seq'"},
    {"symbols.seq = { min = 1, max = 64 }\n[functions.encode]\nsymbols.seq.min = 65\n",
     "2:32: error: symbols.seq.max (64) is below functions.encode.symbols.seq.min (65)"},
    {"symbols.seq = { min = 1, max = 64 }\n[functions.encode]\nsymbols.seq.buckets = { kind = "
     "'list', sizes = [65] }\n",
     "4:48: error: functions.encode.symbols.seq.buckets.sizes: 65 is above max (64)"},
    {"symbols.seq = { min = 1, max = 64 }\n[functions.encode]\noverflow = 'multiple'\n",
     "4:12: error: functions.encode.overflow: 'multiple' needs overflow_multiple"},
    {"[defaults]\noverflow = 'multiple'\noverflow_multiple = 8\n[functions.encode]\noverflow = "
     "'exact'\noverflow_multiple = 16\n",
     "7:21: error: functions.encode.overflow_multiple: given, but overflow is 'exact'"},
    {"[functions.encode]\nmode = 'bucked'\n[defaults]\nmax_compiles = 'many'\n[symbols.seq]\nmin = "
     "2\nmax = 1\n",
     "3:8: error: functions.encode.mode: expected 'exact', 'bucket' or 'symbolic', got 'bucked'; "
     "did you mean 'bucket'?\n5:16: error: defaults.max_compiles: expected integer, got string "
     "\"many\"\n8:7: error: symbols.seq.max (1) is below symbols.seq.min (2)"},
};

constexpr BadFile kWarmup[] = {
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = 'all'\n",
     "3:27: error: functions.encode.warmup: expected array, got string \"all\""},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = ['all']\n",
     "3:28: error: functions.encode.warmup[0]: expected table, got string \"all\""},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{}]\n",
     "3:28: error: functions.encode.warmup[0]: names no symbol"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{ seq = 'every' }]\n",
     "3:36: error: functions.encode.warmup[0].seq: expected a size, a list of sizes or 'all', got "
     "string \"every\""},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{ seq = [] }]\n",
     "3:36: error: functions.encode.warmup[0].seq: expected a size, a list of sizes or 'all', got "
     "array"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{ seq = [1, 'a'] }]\n",
     "3:40: error: functions.encode.warmup[0].seq[1]: expected integer, got string \"a\""},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{ sek = 8 }]\n",
     "3:36: error: functions.encode.warmup[0].sek: undefined symbol 'sek'"},
    {"symbols.seq = { min = 1, max = 64 }\nfunctions.encode.warmup = [{ seq = 9000 }]\n",
     "3:36: error: functions.encode.warmup[0].seq: 9000 is above max (64)"},
    {"symbols.seq = { min = 4, max = 64 }\nfunctions.encode.warmup = [{ seq = 3 }]\n",
     "3:36: error: functions.encode.warmup[0].seq: 3 is below min (4)"},
    {"symbols.seq = { max = 64, multiple_of = 8 }\nfunctions.encode.warmup = [{ seq = 9 }]\n",
     "3:36: error: functions.encode.warmup[0].seq: 9 is not a multiple of 8"},
    {"symbols.seq = {}\nfunctions.encode.warmup = [{ seq = 'all' }]\n",
     "3:36: error: functions.encode.warmup[0].seq: 'all' needs the largest size: symbols.seq.max"},
    {"symbols.seq = { min = 1, max = 64 }\n[functions.encode]\nmode = 'exact'\nwarmup = [{ seq = "
     "'all' }]\n",
     "5:19: error: functions.encode.warmup[0].seq: 'all' needs buckets, and mode is 'exact'"},
    {"symbols.seq = { max = 100000, buckets = { kind = 'exact' } }\nfunctions.encode.warmup = [{ "
     "seq = 'all' }]\n",
     "3:36: error: functions.encode.warmup[0].seq: 'all' are 100001 sizes, more than 10000"},
    {"symbols.seq = { min = 1, max = 64 }\nsymbols.batch = { max = 8 }\n[functions.encode]\nargs = "
     "[{ index = 0, dims = ['batch', 'seq'] }]\nwarmup = [{ seq = 8 }]\n",
     "6:11: error: functions.encode.warmup[0]: no size for 'batch'"},
    {"symbols.seq = { min = 1, max = 64 }\nsymbols.batch = { max = 8 }\n[functions.encode]\nargs = "
     "[{ index = 0, dims = ['seq'] }]\nwarmup = [{ seq = 8, batch = 1 }]\n",
     "6:30: error: functions.encode.warmup[0].batch: no argument of this function has a dimension "
     "'batch'"},
    {"symbols.batch = { min = 1, max = 64, buckets = { kind = 'hybrid', step = 8 } }\nsymbols.seq "
     "= { min = 1, max = 4096 }\n[functions.encode]\nmax_compiles = 40\nwarmup = [{ batch = 'all', "
     "seq = 'all' }]\n",
     "6:11: error: functions.encode.warmup[0]: 11 batch x 14 seq = 154 programs are more than "
     "max_compiles (40)"},
    {"symbols.batch = { min = 1, max = 64, buckets = { kind = 'hybrid', step = 8 } }\nsymbols.seq "
     "= { min = 1, max = 4096 }\n[functions.encode]\nmax_compiles = 20\nwarmup = [{ batch = 1, seq "
     "= 'all' }, { batch = 2, seq = 'all' }]\n",
     "6:10: error: functions.encode.warmup: all sets together need more than max_compiles (20) "
     "programs"},
    {"symbols.a = { max = 10000, buckets = { kind = 'linear', step = 1 } "
     "}\nfunctions.encode.warmup = [{ a = 'all' }]\n",
     "3:28: error: functions.encode.warmup[0]: 10000 a = 10000 programs are more than 4096"},
};

std::string ErrorsOf(const std::string& text) {
  const StatusOr<Config> config = ParseConfig(text, "b.toml");
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << text;
  std::string errors;
  std::string_view rest = ToStd(config.status().message());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    EXPECT_TRUE(rest.starts_with("b.toml:")) << rest;
    absl::StrAppend(&errors, errors.empty() ? "" : "\n", ToAbsl(rest.substr(7, end - 7)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return errors;
}

void ExpectErrors(const std::string& head, std::span<const BadFile> files) {
  for (const BadFile& file : files) EXPECT_EQ(ErrorsOf(head + file.text), file.errors) << file.text;
}

TEST(BadFilesTest, OfTheFileAsAWhole) {
  ExpectErrors("", kWhole);
  ExpectErrors("format = 1\n", kTop);
}
TEST(BadFilesTest, OfDefaults) { ExpectErrors("format = 1\n", kDefaults); }
TEST(BadFilesTest, OfSymbols) { ExpectErrors("format = 1\n", kSymbols); }
TEST(BadFilesTest, OfBuckets) { ExpectErrors("format = 1\n", kBuckets); }
TEST(BadFilesTest, OfFunctions) { ExpectErrors("format = 1\n", kFunctions); }
TEST(BadFilesTest, OfWarmup) { ExpectErrors("format = 1\n", kWarmup); }

}  // namespace
}  // namespace swage::cache
