"""Cases of memory instructions: buffers with bounds, copies to LDS, flat addresses, scratch.

The words that fill LDS also lie in memory at s[10:11]; s[8:9] is the output.
"""

from __future__ import annotations

from assembly import LDS_WORDS, State
from instruction_cases import CASES, Lane, case

OCP = ("gfx950",)
LANE4 = "v_lshlrev_b32_e32 v13, 2, v30\n "
LANE16 = "v_lshlrev_b32_e32 v13, 4, v30\n "
WAIT = "\n s_waitcnt vmcnt(0) lgkmcnt(0)"


def resource(records: int, stride: int = 0) -> str:
    """s[16:19] describes the words in memory."""
    high = f"s_or_b32 s17, s11, {stride << 16:#x}"
    return f"s_mov_b32 s16, s10\n {high}\n s_movk_i32 s18, {records}\n s_mov_b32 s19, 0x27000\n "


def word(state: State, byte: int, records: int = LDS_WORDS * 4) -> int:
    """The word at a byte offset, 0 if it does not lie inside the buffer."""
    return int(state.lds[byte // 4]) if byte >= 0 and byte + 4 <= records else 0


def memory(asm: str, v13: Lane, *writes: Lane, targets: tuple[str, ...] = ("gfx942", "gfx950")) -> None:
    """A case that also leaves an address in v13."""
    case(asm + WAIT, *writes, targets=targets)
    CASES[-1][1][13] = v13


def lane4(state: State, lane: int) -> int:
    return 4 * lane


def lane16(state: State, lane: int) -> int:
    return 16 * lane


memory(f"{resource(100)}{LANE4}buffer_load_dword v8, v13, s[16:19], 0 offen offset:8", lane4,
       lambda s, i: word(s, 4 * i + 8, 100))
# The loop counters of LLVM's loops: negative, and the immediate makes them positive.
memory(f"{resource(100)}{LANE4}v_add_u32_e32 v13, 0xffffff80, v13\n"
       "buffer_load_dword v8, v13, s[16:19], 0 offen offset:128", lambda s, i: 4 * i - 128 & 0xFFFFFFFF,
       lambda s, i: word(s, 4 * i, 100))
memory(f"{resource(424)}{LANE16}buffer_load_dwordx4 v[8:11], v13, s[16:19], 0 offen", lane16,
       *[lambda s, i, w=w: word(s, 16 * i + 4 * w, 424) for w in range(4)])
memory(f"{resource(1000)}{LANE4}s_movk_i32 s12, 900\n buffer_load_dword v8, v13, s[16:19], s12 offen", lane4,
       lambda s, i: word(s, 4 * i + 900, 1000))
memory(f"{resource(40, 12)}v_mov_b32_e32 v13, v30\n buffer_load_dword v8, v13, s[16:19], 0 idxen offset:4",
       lambda s, i: i, lambda s, i: word(s, 12 * i + 4) if i < 40 else 0)
memory(f"{resource(4000)}{LANE4}buffer_load_ubyte v8, v13, s[16:19], 0 offen offset:2", lane4,
       lambda s, i: word(s, 4 * i) >> 16 & 255)
memory(f"{resource(4000)}{LANE4}buffer_load_sbyte_d16_hi v8, v13, s[16:19], 0 offen offset:1", lane4,
       lambda s, i: int(s.v[8][i]) & 0xFFFF | (((word(s, 4 * i) >> 8 & 255) ^ 128) - 128 & 0xFFFF) << 16)
memory(f"{LANE4}global_load_dword v8, v13, s[10:11] offset:16", lane4, lambda s, i: word(s, 4 * i + 16))
memory(f"{LANE4}global_load_dwordx3 v[8:10], v13, s[10:11] offset:4", lane4,
       *[lambda s, i, w=w: word(s, 4 * i + 4 + 4 * w) for w in range(3)])
memory(f"{LANE4}global_load_sshort v8, v13, s[10:11] offset:2", lane4,
       lambda s, i: (word(s, 4 * i) >> 16 ^ 0x8000) - 0x8000 & 0xFFFFFFFF)
memory(f"{LANE4}global_load_short_d16_hi v8, v13, s[10:11]", lane4,
       lambda s, i: int(s.v[8][i]) & 0xFFFF | (word(s, 4 * i) & 0xFFFF) << 16)

# Copies to LDS: lane i lands at M0 + offset + i * width, wherever it came from. Lanes that are off write nothing.
BACK = "\n s_waitcnt vmcnt(0)\n ds_read_b32 v8, v13 offset:1028"
REVERSED = "v_sub_u32_e32 v12, 63, v30\n v_lshlrev_b32_e32 v12, 2, v12\n "


def reversed4(state: State, lane: int) -> int:
    return 4 * (63 - lane)


memory(f"{LANE4}{REVERSED}s_movk_i32 s12, 1024\n s_mov_b32 m0, s12\n "
       f"global_load_lds_dword v12, s[10:11] offset:4{BACK}", lane4, lambda s, i: word(s, 4 * (63 - i) + 4))
CASES[-1][1][12] = reversed4
memory(f"{resource(200)}{LANE4}{REVERSED}s_movk_i32 s12, 1028\n s_mov_b32 m0, s12\n "
       f"buffer_load_dword v12, s[16:19], 0 offen lds{BACK}", lane4, lambda s, i: word(s, 4 * (63 - i), 200))
CASES[-1][1][12] = reversed4
memory(f"{LANE16}s_movk_i32 s12, 0x400\n s_mov_b32 m0, s12\n global_load_lds_dwordx4 v13, s[10:11] offset:16\n "
       "s_waitcnt vmcnt(0)\n ds_read_b128 v[8:11], v13 offset:1040", lane16,
       *[lambda s, i, w=w: word(s, 16 * i + 16 + 4 * w) for w in range(4)], targets=OCP)

# Flat addresses: LDS through its aperture, memory as it is.
memory(f"{LANE4}s_mov_b64 s[12:13], src_shared_base\n v_mov_b32_e32 v15, s13\n v_mov_b32_e32 v14, v13\n "
       "flat_load_dword v8, v[14:15] offset:8", lane4, lambda s, i: word(s, 4 * i + 8))
CASES[-1][1].update({14: lane4, 15: lambda s, i: 1 << 16})

# Stores are seen through loads.
memory(f"{LANE16}ds_write_b128 v13, v[0:3] offset:64\n ds_read_b128 v[8:11], v13 offset:64", lane16,
       *[lambda s, i, w=w: int(s.v[w][i]) for w in range(4)])
# A base below zero, as LLVM makes of a stage that alternates.
memory(f"{LANE16}v_subrev_u32_e32 v13, 64, v13\n ds_write_b128 v13, v[0:3] offset:128\n"
       " ds_read_b128 v[8:11], v13 offset:128", lambda s, i: 16 * i - 64 & 0xFFFFFFFF,
       *[lambda s, i, w=w: int(s.v[w][i]) for w in range(4)])
memory(f"{LANE16}ds_write2_b64 v13, v[0:1], v[2:3] offset0:4 offset1:5\n ds_read_b128 v[8:11], v13 offset:32", lane16,
       *[lambda s, i, w=w: int(s.v[w][i]) for w in range(4)])
memory(f"{LANE16}global_store_dwordx4 v13, v[0:3], s[10:11] offset:32\n s_waitcnt vmcnt(0)\n "
       "global_load_dwordx4 v[8:11], v13, s[10:11] offset:32", lane16,
       *[lambda s, i, w=w: int(s.v[w][i]) for w in range(4)])
memory(f"{resource(500)}{LANE16}buffer_store_dwordx4 v[0:3], v13, s[16:19], 0 offen\n s_waitcnt vmcnt(0)\n "
       "global_load_dwordx4 v[8:11], v13, s[10:11]", lane16,
       *[lambda s, i, w=w: int(s.v[w][i]) if 16 * i + 4 * w + 4 <= 500 else word(s, 16 * i + 4 * w) for w in range(4)])
memory(f"{LANE16}global_store_short_d16_hi v13, v0, s[10:11] offset:2\n s_waitcnt vmcnt(0)\n "
       "global_load_dword v8, v13, s[10:11]", lane16,
       lambda s, i: word(s, 16 * i) & 0xFFFF | int(s.v[0][i]) & 0xFFFF0000)
