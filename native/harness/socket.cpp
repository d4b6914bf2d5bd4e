#include "native/harness/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "native/harness/clock.hpp"

namespace meshgauge::harness {
namespace {

constexpr std::uint32_t largest_message = 64U << 20U;  // bytes; more is no message of ours

/// Whether the descriptor is ready by the deadline.
bool ready(int descriptor, short events, double deadline) {
  for (;;) {
    const double left = std::clamp(deadline - now_seconds(), 0.0, 3600.0);
    pollfd entry{descriptor, events, 0};
    const int count = poll(&entry, 1, static_cast<int>(left * 1000) + 1);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
    if (now_seconds() >= deadline) return false;
  }
}

bool send_bytes(int descriptor, const char* data, std::size_t bytes) {
  const double deadline = now_seconds() + 60;
  while (bytes > 0) {
    const ssize_t sent = send(descriptor, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!ready(descriptor, POLLOUT, deadline)) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool receive_bytes(int descriptor, char* data, std::size_t bytes, double deadline) {
  while (bytes > 0) {
    if (!ready(descriptor, POLLIN, deadline)) return false;
    const ssize_t got = recv(descriptor, data, bytes, MSG_DONTWAIT);
    if (got > 0) {
      data += got;
      bytes -= static_cast<std::size_t>(got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return false;
    }
  }
  return true;
}

void no_delay(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Socket listen_at(int port) {
  // One socket for IPv6 and IPv4; IPv4 alone where the machine has no IPv6.
  for (const int family : {AF_INET6, AF_INET}) {
    Socket listener(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener.open()) continue;
    const int on = 1, off = 0;
    setsockopt(listener.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_storage address{};
    socklen_t length = 0;
    if (family == AF_INET6) {
      setsockopt(listener.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      auto* v6 = reinterpret_cast<sockaddr_in6*>(&address);
      *v6 = {.sin6_family = AF_INET6,
             .sin6_port = htons(static_cast<std::uint16_t>(port)),
             .sin6_flowinfo = 0,
             .sin6_addr = in6addr_any,
             .sin6_scope_id = 0};
      length = sizeof *v6;
    } else {
      auto* v4 = reinterpret_cast<sockaddr_in*>(&address);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(static_cast<std::uint16_t>(port));
      length = sizeof *v4;
    }
    if (bind(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), length) == 0 &&
        listen(listener.descriptor(), SOMAXCONN) == 0) {
      return listener;
    }
  }
  return {};
}

int port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

Socket accept_until(const Socket& listener, double deadline) {
  if (!ready(listener.descriptor(), POLLIN, deadline)) return {};
  Socket socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.open()) no_delay(socket.descriptor());
  return socket;
}

Socket connect_to(const std::string& host, int port, double seconds) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Socket socket(::socket(entry->ai_family, entry->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, entry->ai_protocol));
    if (!socket.open()) continue;
    if (connect(socket.descriptor(), entry->ai_addr, entry->ai_addrlen) != 0 && errno != EINPROGRESS) continue;
    if (!ready(socket.descriptor(), POLLOUT, now_seconds() + seconds)) continue;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) continue;
    no_delay(socket.descriptor());
    return socket;
  }
  return {};
}

bool send_message(const Socket& socket, const Message& message) {
  const auto length = htonl(static_cast<std::uint32_t>(message.text.size()));
  std::string frame(sizeof length + 1, '\0');
  std::memcpy(frame.data(), &length, sizeof length);
  frame[sizeof length] = static_cast<char>(message.kind);
  frame += message.text;
  return send_bytes(socket.descriptor(), frame.data(), frame.size());
}

std::optional<Message> receive_message(const Socket& socket, double deadline) {
  char head[5];
  if (!receive_bytes(socket.descriptor(), head, sizeof head, deadline)) return std::nullopt;
  std::uint32_t length = 0;
  std::memcpy(&length, head, sizeof length);
  length = ntohl(length);
  if (length > largest_message) return std::nullopt;
  Message message{static_cast<std::uint8_t>(head[4]), std::string(length, '\0')};
  if (!receive_bytes(socket.descriptor(), message.text.data(), length, deadline)) return std::nullopt;
  return message;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string own_addresses() {
  std::string list = host_name();
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return list;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> interfaces(found, &freeifaddrs);
  for (const ifaddrs* i = found; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_LOOPBACK) != 0 || (i->ifa_flags & IFF_UP) == 0) continue;
    char text[NI_MAXHOST];
    const int family = i->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const auto length = static_cast<socklen_t>(family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (getnameinfo(i->ifa_addr, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
      list += std::string(" ") + text;
    }
  }
  return list;
}

}  // namespace meshgauge::harness
