//===- Messages.h - Diagnostics of one compilation --------------*- C++ -*-===//

#ifndef OCTAVO_CODEGEN_MESSAGES_H
#define OCTAVO_CODEGEN_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace octavo {

/// One diagnostic, with its notes indented below it.
struct Message {
  mlir::DiagnosticSeverity severity;
  /// "model.py:41:7", or empty where the source is not known.
  std::string location;
  std::string text;
};

/// Takes every diagnostic of a context while it lives, from any thread.
class CollectMessages {
public:
  explicit CollectMessages(mlir::MLIRContext *context);

  /// The errors as one llvm::Error; `otherwise` where there are none.
  llvm::Error takeError(llvm::StringRef otherwise) const;

  /// Everything below an error, in order.
  std::vector<Message> getRemarks() const;

private:
  std::vector<Message> messages;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace octavo

#endif // OCTAVO_CODEGEN_MESSAGES_H
