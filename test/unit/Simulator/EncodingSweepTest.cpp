//===- EncodingSweepTest.cpp - Every opcode that LLVM decodes -------------===//
//
// Walks the opcode field of every encoding. What LLVM can decode must have a
// row or be on the list of instructions that the simulator refuses when it
// loads them: those that need hardware which it does not have (images, exports,
// global wave sync, trap handlers).
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Decode.h"
#include "lib/Simulator/Isa.h"
#include <gtest/gtest.h>
#include <set>

using namespace octavo::sim;

namespace {

/// One encoding: bits that are fixed, and where the opcode lies.
struct Encoding {
  const char *name;
  uint64_t fixed;
  unsigned shift, opcodes;
};

// Registers are v0, s[0:1] and the like unless a field needs something else.
const Encoding encodings[] = {
    {"SOP2", 0x80000000, 23, 96},
    {"SOPK", 0xb0000000, 23, 24},
    {"SOP1", 0xbe800000, 8, 256},
    {"SOPC", 0xbf000000, 16, 128},
    {"SOPP", 0xbf800000, 16, 128},
    {"SMEM", 0x00000000c0020000, 18, 256},
    {"VOP2", 0x00000000, 25, 62},
    {"VOP1", 0x7e000100, 9, 256},
    {"VOPC", 0x7c000100, 17, 256},
    {"VOP3", 0x04000100d0000000, 16, 1024},
    {"VOP3P", 0x1c020100d3800000, 16, 128},
    {"DS", 0x00000000d8000000, 17, 256},
    {"FLAT", 0x007f0000dc000000, 18, 128},
    {"GLOBAL", 0x007f0000dc008000, 18, 128},
    {"SCRATCH", 0x007f0000dc004000, 18, 128},
    {"MUBUF", 0x80000000e0001000, 18, 128},
    {"MTBUF", 0x80000000e8001000, 15, 16},
};

/// Refused when loaded: families that a compute kernel of these targets cannot
/// contain or that need hardware which the simulator does not have.
bool isRefused(llvm::StringRef mnemonic) {
  for (llvm::StringRef prefix :
       {"tbuffer_",
        "buffer_load_format",
        "buffer_store_format", // typed buffers
        "ds_gws_",             // global wave sync
        "s_store_",
        "s_buffer_store_",
        "s_scratch_",
        "s_dcache_discard",
        "s_atomic_",
        "s_buffer_atomic_", // no scalar writes since gfx940
        "s_rfe_",
        "s_sendmsghalt",
        "s_atc_probe", // traps, messages, translation
        "s_cbranch_g_fork",
        "s_cbranch_i_fork",
        "s_cbranch_join", // fork, join
        "scratch_load_lds_",
        "ds_condxchg32_",           // no compiler emits them
        "s_endpgm_ordered_ps_done", // graphics
        "v_mfma_ld_scale_b32",      // only as the first half of a scaled MFMA
        "v_screen_partition_4se_b32"}) // graphics
    if (mnemonic.starts_with(prefix))
      return true;
  return false;
}

} // namespace

class EncodingSweepTest : public testing::TestWithParam<const char *> {};

TEST_P(EncodingSweepTest, EveryDecodedMnemonicHasARow) {
  auto decoder = Decoder::create(GetParam());
  ASSERT_TRUE(bool(decoder));
  std::set<std::string> missing, found;
  ParsedInst parsed;
  for (const Encoding &encoding : encodings)
    for (unsigned opcode = 0; opcode < encoding.opcodes; ++opcode)
      for (uint64_t variant : {uint64_t(0), uint64_t(0x0000000200000002)}) {
        uint64_t word = (encoding.fixed | uint64_t(opcode) << encoding.shift) +
                        variant * (encoding.name[0] != 'M');
        uint8_t bytes[16] = {};
        memcpy(bytes, &word, 8);
        if (!(*decoder)->decode(bytes, 0, parsed))
          continue;
        found.insert(parsed.mnemonic.str());
        if (!Isa::get().lookup(parsed.mnemonic) && !isRefused(parsed.mnemonic))
          missing.insert(encoding.name + std::string(" ") +
                         parsed.mnemonic.str() + "   | " + parsed.text);
      }
  EXPECT_GT(found.size(), 800u);
  for (const std::string &name : missing)
    ADD_FAILURE() << name;
}

INSTANTIATE_TEST_SUITE_P(Targets, EncodingSweepTest,
                         testing::Values("gfx942", "gfx950"));
