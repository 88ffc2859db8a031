#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cload.h"

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int cload_connect_port(uint16_t port) {
    struct sockaddr_in address = loopback(port);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    struct timeval patience = {.tv_sec = 10};
    int yes = 1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) ||
        connect(descriptor, (struct sockaddr *)&address, sizeof address)) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    return descriptor;
}

int cload_free_ports(uint16_t *ports, size_t count) {
    int descriptors[PORTS_MAX];
    size_t opened = 0;
    int code = count > PORTS_MAX ? E2BIG : 0;
    // All are held until the last is known, so that no two are the same.
    while (!code && opened < count) {
        int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptor < 0) {
            code = errno;
            break;
        }
        descriptors[opened++] = descriptor;
        struct sockaddr_in address = loopback(0);
        socklen_t length = sizeof address;
        if (bind(descriptor, (struct sockaddr *)&address, length) ||
            getsockname(descriptor, (struct sockaddr *)&address, &length))
            code = errno;
        ports[opened - 1] = ntohs(address.sin_port);
    }
    while (opened > 0) close(descriptors[--opened]);
    return code;
}
