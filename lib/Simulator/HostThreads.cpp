//===- HostThreads.cpp - Threads that outlive a launch --------------------===//

#include "HostThreads.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// What one call asks for. It lives on the caller's stack, and nobody touches
/// it once it is out of the list and nobody is active.
struct Request {
  llvm::function_ref<void()> job;
  unsigned wanted, active;
};

class Pool {
public:
  void run(unsigned others, llvm::function_ref<void()> job) {
    Request request{job, others, 0};
    {
      std::lock_guard lock(mutex);
      while (threads < others) {
        std::thread([this] { serve(); }).detach();
        ++threads;
      }
      requests.push_back(&request);
    }
    work.notify_all();
    job();
    std::unique_lock lock(mutex);
    std::erase(requests, &request);
    done.wait(lock, [&] { return request.active == 0; });
  }

private:
  Request *next() {
    for (Request *request : requests)
      if (request->wanted)
        return request;
    return nullptr;
  }

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      Request *request;
      work.wait(lock, [&] { return (request = next()) != nullptr; });
      --request->wanted;
      ++request->active;
      lock.unlock();
      request->job();
      lock.lock();
      if (--request->active == 0)
        done.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable work, done;
  std::vector<Request *> requests;
  unsigned threads = 0;
};

} // namespace

void octavo::sim::runOnHostThreads(unsigned threads,
                                   llvm::function_ref<void()> job) {
  if (threads <= 1)
    return job();
  // Never destroyed: its threads wait until the process ends.
  static auto *pool = new Pool;
  pool->run(threads - 1, job);
}
