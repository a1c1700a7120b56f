//===- UnknownInstructions.cpp - What the simulator does not know ---------===//

#include "octavo/Simulator/CodeObject.h"

#include "llvm/Support/raw_ostream.h"

using namespace octavo::sim;

char UnknownInstructions::ID;

void UnknownInstructions::log(llvm::raw_ostream &os) const {
  os << "the simulator does not know these instructions of " << arch << ":";
  for (const std::string &name : nameList)
    os << " " << name << (&name == &nameList.back() ? "" : ",");
}
