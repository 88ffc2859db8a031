#include "ccurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The functions of libcurl that are used here.
#define FUNCTIONS(F) \
    F(easy_cleanup) F(easy_getinfo) F(easy_init) F(easy_pause) F(easy_perform) F(easy_setopt) F(global_init) F(multi_add_handle) \
    F(multi_info_read) F(multi_init) F(multi_perform) F(multi_poll) F(multi_remove_handle) F(multi_wakeup) F(slist_append) \
    F(slist_free_all) F(free) F(url) F(url_cleanup) F(url_get) F(url_set)

#define FIELD(name) __typeof__(&curl_##name) name;
static struct { FUNCTIONS(FIELD) } curl;

int ccurl_load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == 0) return 0;
#define LOAD(name) if ((curl.name = (__typeof__(&curl_##name))dlsym(library, "curl_" #name)) == 0) return 0;
    FUNCTIONS(LOAD)
    return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *handle) { curl.easy_cleanup(handle); }
CURLcode ccurl_easy_perform(CURL *handle) { return curl.easy_perform(handle); }
CURLcode ccurl_easy_pause(CURL *handle, int mask) { return curl.easy_pause(handle, mask); }
CURLM *ccurl_multi_init(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle) { return curl.multi_add_handle(multi, handle); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle) { return curl.multi_remove_handle(multi, handle); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return curl.multi_perform(multi, running); }
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) { return curl.multi_poll(multi, 0, 0, milliseconds, 0); }
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return curl.multi_wakeup(multi); }
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) { return curl.multi_info_read(multi, left); }
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) { return curl.slist_append(list, line); }
void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }
void ccurl_free(void *memory) { curl.free(memory); }
CURLU *ccurl_url(void) { return curl.url(); }
void ccurl_url_cleanup(CURLU *url) { curl.url_cleanup(url); }
CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text) { return curl.url_get(url, part, text, 0); }
CURLUcode ccurl_url_set(CURLU *url, const char *text, unsigned flags) { return curl.url_set(url, CURLUPART_URL, text, flags); }

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, curl_write_callback function) {
    return curl.easy_setopt(handle, option, function);
}
CURLcode ccurl_set_prerequest(CURL *handle, ccurl_prerequest function) {
    return curl.easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}
CURLcode ccurl_set_context(CURL *handle, curl_ssl_ctx_callback function) {
    return curl.easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
}
CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback function) {
    return curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}
long ccurl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl.easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }
const char *ccurl_numeric(const struct curl_sockaddr *address) {
    static _Thread_local char text[INET6_ADDRSTRLEN];
    const struct sockaddr_in *four = (const void *)&address->addr;
    const struct sockaddr_in6 *six = (const void *)&address->addr;
    const void *number = address->family == AF_INET ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr;
    return inet_ntop(address->family, number, text, sizeof text) ? text : "";
}
curl_socket_t ccurl_socket(const struct curl_sockaddr *address, int unsent_bytes_max) {
    int connection = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->protocol);
    if (connection >= 0) setsockopt(connection, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes_max, sizeof unsent_bytes_max);
    return connection;
}
int ccurl_listen(char *name, int size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    // Without a name, the kernel gives it an abstract one.
    if (bind(listener, (struct sockaddr *)&address, sizeof address.sun_family) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &length) == 0) {
        snprintf(name, size, "%.*s", (int)(length - offsetof(struct sockaddr_un, sun_path) - 1), address.sun_path + 1);
        return listener;
    }
    close(listener);
    return -1;
}
