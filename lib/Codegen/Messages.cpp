//===- Messages.cpp - Diagnostics of one compilation ----------------------===//

#include "octavo/Codegen/Messages.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// The innermost file, line and column of a location; empty if it has none.
static std::string describeLocation(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || file.getLine() == 0)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

octavo::CollectMessages::CollectMessages(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        Message message = {diagnostic.getSeverity(),
                           describeLocation(diagnostic.getLocation()),
                           diagnostic.str()};
        for (Diagnostic &note : diagnostic.getNotes()) {
          std::string where = describeLocation(note.getLocation());
          message.text +=
              "\n  note: " + (where.empty() ? "" : where + ": ") + note.str();
        }
        messages.push_back(std::move(message));
      }) {
  // The user's line says more than the op's generic form.
  context->printOpOnDiagnostic(false);
}

llvm::Error octavo::CollectMessages::takeError(StringRef otherwise) const {
  std::string text;
  for (const Message &message : messages) {
    if (message.severity != DiagnosticSeverity::Error)
      continue;
    if (!text.empty())
      text += '\n';
    if (!message.location.empty())
      text += message.location + ": ";
    text += message.text;
  }
  return llvm::createStringError(text.empty() ? otherwise.str() : text);
}

std::vector<octavo::Message> octavo::CollectMessages::getRemarks() const {
  std::vector<Message> result;
  for (const Message &message : messages)
    if (message.severity != DiagnosticSeverity::Error)
      result.push_back(message);
  return result;
}
