// Swift cannot call C functions with variable arguments, and curl sets and reads its options with them.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int (*ccurl_prerequest)(void *argument, char *address, char *own, int port, int own_port);
typedef int (*ccurl_socket_option)(void *argument, curl_socket_t socket, curlsocktype purpose);

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
/// For bytes that come or go: `CURLOPT_HEADERFUNCTION`, `CURLOPT_WRITEFUNCTION`, `CURLOPT_READFUNCTION`.
static inline CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(handle, option, function);
}
static inline CURLcode ccurl_set_prerequest(CURL *handle, ccurl_prerequest function) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}
static inline CURLcode ccurl_set_context(CURL *handle, curl_ssl_ctx_callback function) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
}
static inline CURLcode ccurl_set_socket_option(CURL *handle, ccurl_socket_option function) {
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, function);
}
static inline long ccurl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
/// How a transfer ended. Swift does not import the union in which curl says it.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }
/// Keeps the kernel from taking a large request at once: then it would seem to be sent long before it is.
static inline int ccurl_limit_unsent(curl_socket_t socket, int bytes) {
    return setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}
/// A socket that listens on a port of this machine, or -1.
static inline int ccurl_listen(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    close(listener);
    return -1;
}
