// libcurl, which is loaded when it is needed first: with the libraries that it loads, an idle process would be five megabytes larger.
// Swift cannot call C functions with variable arguments, and curl sets and reads its options with them.
#ifndef CCURL_H
#define CCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/// Loads the library; 0 if it cannot be loaded. Nothing else is called before.
int ccurl_load(void);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *handle);
CURLcode ccurl_easy_perform(CURL *handle);
CURLcode ccurl_easy_pause(CURL *handle, int mask);
CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left);
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line);
void ccurl_slist_free_all(struct curl_slist *list);
void ccurl_free(void *memory);
CURLU *ccurl_url(void);
void ccurl_url_cleanup(CURLU *url);
CURLUcode ccurl_url_get(CURLU *url, CURLUPart part, char **text);
CURLUcode ccurl_url_set(CURLU *url, const char *text, unsigned flags);

typedef int (*ccurl_prerequest)(void *argument, char *address, char *own, int port, int own_port);

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);
/// For bytes that come or go: `CURLOPT_HEADERFUNCTION`, `CURLOPT_WRITEFUNCTION`, `CURLOPT_READFUNCTION`.
CURLcode ccurl_set_transfer(CURL *handle, CURLoption option, curl_write_callback function);
CURLcode ccurl_set_prerequest(CURL *handle, ccurl_prerequest function);
CURLcode ccurl_set_context(CURL *handle, curl_ssl_ctx_callback function);
CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback function);
long ccurl_number(CURL *handle, CURLINFO info);
/// How a transfer ended. Swift does not import the union in which curl says it.
CURLcode ccurl_result(const CURLMsg *message);
/// The address in numbers, valid until the next call on this thread; empty if its family is unknown.
const char *ccurl_numeric(const struct curl_sockaddr *address);
/// A socket for a connection to the address, or CURL_SOCKET_BAD.
///
/// The kernel buffers at most `unsent_bytes_max` bytes: otherwise a large request would seem to be sent long before it is.
curl_socket_t ccurl_socket(const struct curl_sockaddr *address, int unsent_bytes_max);
/// A Unix socket that listens under an abstract name, which is written to `name`, or -1.
int ccurl_listen(char *name, int size);

#endif
