//===- Run.cpp - Running one wave -----------------------------------------===//
//
// The fast loop calls handlers and nothing else. Instructions under VGPR
// indexing or VSKIP, and everything with an observer, run in the slow loop. A
// fault of the host in a memory handler comes back here through a jump.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Access.h"
#include <csetjmp>
#include <csignal>
#include <mutex>

using namespace octavo::sim;

static thread_local Wave *runningWave;
static thread_local sigjmp_buf faultJump;
/// Where `survivesFault` goes on, if it is active in this thread.
thread_local sigjmp_buf *guard;

const Inst *octavo::sim::instructionAt(const Wave &w, uint64_t address) {
  return w.program->at(address - w.codeBase);
}

void octavo::sim::setMode(Wave &w, uint32_t mode) {
  w.mode = mode;
  w.modeSpecial = (mode & 0xff) != 0xf0;
}

void octavo::sim::observeMemory(Wave &w, const Inst &inst,
                                const uint64_t *addresses, uint64_t lanes,
                                uint32_t bytes) {
  w.observer->memory(w, inst, llvm::ArrayRef(addresses, lanes == 1 ? 1 : Lanes),
                     lanes, bytes);
  if (w.error) {
    w.access = &inst;
    siglongjmp(faultJump, 2);
  }
}

//===----------------------------------------------------------------------===//
// Host faults
//===----------------------------------------------------------------------===//

namespace {

struct sigaction previousSegv, previousBus;

void passOn(const struct sigaction &previous, int signal, siginfo_t *info,
            void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  if (previous.sa_handler == SIG_IGN)
    return;
  if (previous.sa_handler != SIG_DFL) {
    previous.sa_handler(signal);
    return;
  }
  // The default: fault again without us.
  sigaction(signal, &previous, nullptr);
}

void onFault(int signal, siginfo_t *info, void *context) {
  if (guard)
    siglongjmp(*guard, 1);
  if (runningWave && runningWave->access)
    siglongjmp(faultJump, 1);
  passOn(signal == SIGSEGV ? previousSegv : previousBus, signal, info, context);
}

void install(int signal, struct sigaction &previous) {
  struct sigaction current = {};
  sigaction(signal, nullptr, &current);
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == onFault)
    return;
  struct sigaction ours = {};
  ours.sa_sigaction = onFault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  previous = current;
  sigaction(signal, &ours, nullptr);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

uint64_t runFast(Wave &w, uint64_t budget) {
  const Inst *inst = w.ip;
  uint64_t *counts = w.counts, left = budget;
  do {
    ++counts[inst->ordinal];
    const Inst *next = inst->fn(w, *inst);
    if (!next)
      return budget - left + 1;
    inst = next;
  } while (--left);
  w.ip = inst;
  return budget;
}

/// Tells the observer stretches between jumps instead of instructions.
uint64_t runFollowed(Wave &w, uint64_t budget) {
  const Inst *inst = w.ip, *first = inst;
  uint64_t *counts = w.counts, left = budget;
  do {
    ++counts[inst->ordinal];
    const Inst *next = inst->fn(w, *inst);
    if (next != inst->next) {
      w.observer->path(w, *first, *inst);
      if (!next)
        return budget - left + 1;
      first = next;
    }
    if (!--left) {
      if (next == inst->next)
        w.observer->path(w, *first, *inst);
      w.ip = next;
      return budget;
    }
    inst = next;
  } while (true);
}

/// The instruction with M0's index added to its vector registers.
Inst indexed(const Wave &w, const Inst &inst) {
  Inst copy = inst;
  unsigned index = w.s[M0] & 0xff, which = w.s[M0] >> 12 & 15;
  for (unsigned i = 0; i < 3; ++i)
    if ((which >> i & 1) && copy.src[i].kind == Kind::Vgpr)
      copy.src[i].index += index;
  if ((which & 8) && copy.dst.kind == Kind::Vgpr)
    copy.dst.index += index;
  return copy;
}

/// The index has not left the registers.
bool isInside(const Inst &inst) {
  auto fits = [](const Operand &operand) {
    return operand.kind != Kind::Vgpr ||
           operand.index + operand.dwords <= 2 * FirstAccumulation;
  };
  return fits(inst.dst) && fits(inst.src[0]) && fits(inst.src[1]) &&
         fits(inst.src[2]);
}

bool isSkipped(const Inst &inst) {
  return inst.cls == Class::Vector || inst.cls == Class::Matrix ||
         inst.cls == Class::VectorMemory || inst.cls == Class::Lds;
}

uint64_t runSlow(Wave &w, uint64_t budget) {
  uint64_t done = 0;
  bool follows = w.observer && w.observer->followsPaths();
  while (done < budget &&
         ((w.observer && !follows) || w.gprIndexing || w.skipVector)) {
    const Inst &inst = *w.ip;
    ++done;
    if (w.skipVector && isSkipped(inst)) {
      w.ip = inst.next;
      continue;
    }
    if (w.observer)
      w.observer->instruction(w, inst);
    ++w.counts[inst.ordinal];
    const Inst *next;
    if (w.skipMatrix && inst.matrix) {
      ++w.progress;
      next = inst.next;
    } else if (w.gprIndexing && inst.cls == Class::Vector) {
      Inst copy = indexed(w, inst);
      if (!isInside(copy)) {
        w.error = "an index beyond the last vector register";
        w.status = Status::Failed;
        w.ip = &inst;
        break;
      }
      next = copy.fn(w, copy);
      if (!next)
        w.ip = &inst;
    } else
      next = inst.fn(w, inst);
    if (!next && w.status != Status::Ready)
      break;
    const Inst *reached = next ? next : w.ip;
    // `next` leaves out s_nop and s_waitcnt, which an observer wants to see.
    w.ip = w.observer && reached == inst.next && reached != &inst + 1 &&
                   (&inst + 1)->address == inst.address + inst.bytes
               ? &inst + 1
               : reached;
  }
  return done;
}

} // namespace

void octavo::sim::installFaultHandlers() {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  install(SIGSEGV, previousSegv);
  install(SIGBUS, previousBus);
}

bool octavo::sim::survivesFault(llvm::function_ref<void()> action) {
  sigjmp_buf here;
  sigjmp_buf *outer = guard;
  if (sigsetjmp(here, 0)) {
    guard = outer;
    return false;
  }
  guard = &here;
  action();
  guard = outer;
  return true;
}

void octavo::sim::runWave(Wave &w, uint64_t budget) {
  runningWave = &w;
  if (sigsetjmp(faultJump, 0)) {
    w.ip = w.access;
    w.access = nullptr;
    if (!w.error)
      w.error = "memory access to an address that is not mapped";
    w.status = Status::Failed;
    runningWave = nullptr;
    return;
  }
  uint64_t limit = w.executed + budget;
  while (w.status == Status::Ready && w.executed < limit) {
    uint64_t left = limit - w.executed;
    bool indexed = w.gprIndexing || w.skipVector;
    if (!w.observer && !indexed)
      w.executed += runFast(w, left);
    else if (!indexed && w.observer->followsPaths())
      w.executed += runFollowed(w, left);
    else
      w.executed += runSlow(w, left);
  }
  runningWave = nullptr;
}
