// Calls the daemon through the web server.

import { awaitAnswer, hear } from './silence.js';

/// The interfaces of the methods that are not of History.
const interfaces = {
  Dispatch: 'org.todod.Store', GetState: 'org.todod.Store', Subscribe: 'org.todod.Store', Status: 'org.todod.Admin',
  Ping: 'org.todod.Admin', GetInfo: 'org.varlink.service', GetInterfaceDescription: 'org.varlink.service',
};
/// The uid of the daemon's caller, which is that of the web server; null before its first response.
export const caller = { uid: null };
const tokenKey = 'todod.token';

/// An error: `name` is that of the wire, `message` a sentence.
export class WireError extends Error {
  constructor(name, parameters, status) {
    super(parameters?.message ?? sentences[name] ?? `The daemon answered ${name.split('.').at(-1)}.`);
    this.name = name;
    this.parameters = parameters ?? {};
    this.status = status;
  }

  /// Whether the daemon was not reachable, so that the same call may succeed later.
  get isAway() { return this.name === away || this.name === unreachable; }

  get isTemporary() { return this.isAway || passing.has(this.name); }

  /// Whether a change may have been made, so that it must be repeated with the same key.
  get isUnanswered() { return this.isAway || unsure.has(this.name); }
}

export const away = 'org.todod.web.DaemonAway';
const unreachable = 'org.todod.web.Unreachable';
const sentences = {
  'org.todod.web.DaemonAway': 'The daemon did not answer.',
  'org.todod.web.Unreachable': 'The program that serves this page is gone. Start it again: todoctl web',
  'org.todod.web.BadToken': 'This page has no token for this address. Open the address that todoctl web printed.',
};

/// Removes the token from the address, stores it for this tab, and returns the other parameters, such as `at`.
export function takeAddress() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const token = fields.get('token');
  if (token !== null) {
    sessionStorage.setItem(tokenKey, token);
    fields.delete('token');
    history.replaceState(null, '', location.pathname + hash(fields));
  }
  return fields;
}

export function writeAddress(at) {
  const fields = new URLSearchParams();
  if (at !== null) fields.set('at', at);
  if (hash(fields) !== location.hash) history.replaceState(null, '', location.pathname + hash(fields));
}

/// The address of a moment, with the token, for another tab.
export function sharedAddress(at) {
  const fields = new URLSearchParams({ token: sessionStorage.getItem(tokenKey) ?? '' });
  if (at !== null) fields.set('at', at);
  return location.origin + location.pathname + hash(fields);
}

function hash(fields) { return fields.size === 0 ? '' : `#${fields}`; }

/// Returns the last reply to a call. Throws WireError; an aborted call throws `AbortError`, like fetch.
///
/// A refusal is part of the HTTP body, so that the browser's console does not report a network error.
export async function ask(method, parameters = {}, options = {}) {
  let answer = null;
  await stream(method, parameters, (reply) => { answer = reply; }, options);
  if (answer === null) throw new WireError(away);
  return answer;
}

// Not through `stream`, which would probe again.
async function ping() { await takeReplies(await post('Ping', {}), () => {}, { onFirst: () => {} }); }

/// Calls with `more`: `onReply(parameters, continues)` is called for each reply in order and awaited.
///
/// Returns after the last reply. Throws like `ask`, also between replies. With `isFollowed` waiting for replies is normal and no
/// sign of silence.
export async function stream(method, parameters, onReply, { signal, isFollowed = false } = {}) {
  const end = isFollowed ? () => {} : awaitAnswer(ping);
  try {
    const response = await post(method, parameters, signal);
    await takeReplies(response, onReply, { signal, onFirst: end });
  } finally {
    end();
  }
}

async function takeReplies(response, onReply, { signal, onFirst }) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error) => {
        throw error.name === 'AbortError' || signal?.aborted ? aborted() : new WireError(unreachable);
      });
      if (done) break;
      const texts = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = texts.pop();
      for (const text of texts) {
        const reply = JSON.parse(text.startsWith('\x1e') ? text.slice(1) : text);
        onFirst();
        if (!isOfServer(reply.error)) hear();
        if (reply.error !== undefined) throw new WireError(reply.error, reply.parameters, 200);
        if (signal?.aborted) throw aborted();
        await onReply(reply.parameters ?? {}, reply.continues === true);
        if (signal?.aborted) throw aborted();
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/// Follows a stream until the signal is aborted, with backoff while the daemon is away. `parameters()` is called for each
/// attempt. `onState('up' | 'away', error)` reports the connection. Throws any other error.
export async function follow(method, parameters, onReply, { signal, onState } = {}) {
  let pause = firstPause;
  while (!signal?.aborted) {
    let reason = new WireError(away);
    try {
      await stream(method, await parameters(), (reply, continues) => {
        if (pause !== 0) onState?.('up');
        pause = 0;
        return onReply(reply, continues);
      }, { signal, isFollowed: true });
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (!(error instanceof WireError) || !error.isTemporary) throw error;
      reason = error;
    }
    pause = Math.min(Math.max(pause * 2, firstPause), lastPause);
    onState?.('away', reason);
    await rest(pause, signal);
  }
}

/// Minimum and maximum backoff in milliseconds.
export const firstPause = 200;
export const lastPause = 5000;
const passing = new Set(['org.todod.Store.Stopping', 'org.todod.Store.QueryBusy', 'org.todod.Store.TooManyConnections']);
const unsure = new Set(['org.todod.Store.Stopping', 'org.todod.Store.OutcomeUnknown']);

export function rest(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

async function post(method, parameters, signal) {
  let response;
  try {
    response = await fetch(`/call/${interfaces[method] ?? 'org.todod.History'}.${method}`, {
      method: 'POST',
      headers: {
        'Authorization': `Bearer ${sessionStorage.getItem(tokenKey) ?? ''}`, 'Content-Type': 'application/json',
        'Accept': 'application/json-seq',
      },
      body: JSON.stringify(parameters), cache: 'no-store', credentials: 'omit', signal,
    });
  } catch (error) {
    throw error.name === 'AbortError' ? error : new WireError(unreachable);
  }
  if (response.headers.has('Todod-Uid')) caller.uid = Number(response.headers.get('Todod-Uid'));
  if (response.ok) return response;
  if (response.status === 401) throw new WireError('org.todod.web.BadToken', null, 401);
  const answer = await response.json().catch(() => ({}));
  if (answer.error !== undefined && !isOfServer(answer.error)) hear();
  throw new WireError(answer.error ?? `org.todod.web.Status${response.status}`, answer.parameters, response.status);
}

function aborted() { return new DOMException('aborted', 'AbortError'); }

// Whether the error comes from the web server, not from the daemon.
function isOfServer(error) { return error?.startsWith('org.todod.web.') === true; }

export function newKey() {
  const time = (Date.now() * 1000).toString(16).padStart(16, '0');
  const random = crypto.getRandomValues(new Uint8Array(8));
  return time + Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
