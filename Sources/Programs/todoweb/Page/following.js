// Follows the log with one stream for all pages of this origin, because a browser allows only six connections. One page holds the
// stream and broadcasts; when it is closed or hidden, another takes over.

import { WireError, away, firstPause, follow, lastPause, rest } from './wire.js';

/// The name of the Web Lock and of the broadcast channel.
const name = 'todod.log';

/// Follows the log until the signal is aborted; throws like `follow`.
///
/// - `begin(signal)`: returns the current `{epoch, sequence}`; called again each time the daemon was away.
/// - `took(reply)`: receives a reply; `reached(sequence)`: receives the position if only that is known.
/// - `onState('away', error)`: the daemon does not answer.
export async function followTogether({ begin, took, reached, onState, signal }) {
  if (navigator.locks === undefined) return await hold(() => {});
  const channel = new BroadcastChannel(name);
  const inner = new AbortController();
  const stop = () => { inner.abort(); channel.close(); };
  signal.addEventListener('abort', stop, { once: true });
  const pass = (message) => { if (!signal.aborted) channel.postMessage(message); };
  try {
    await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock === null ? null : hold(pass));
    if (!signal.aborted) await Promise.race([listen(), navigator.locks.request(name, { signal: inner.signal }, () => {
      channel.onmessage = null;
      return hold(pass);
    })]);
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }

  async function hold(tell) {
    let epoch = null;
    await follow('Subscribe', async () => {
      const status = await begin(signal);
      epoch = status.epoch;
      tell({ kind: 'up' });
      return { kind: 'records', epoch, from: { sequence: status.sequence + 1 } };
    }, (reply) => { took(reply); tell({ kind: 'reply', epoch, reply }); }, {
      signal, onState: (state, error) => {
        if (state === 'away') tell({ kind: 'away', message: error.message });
        onState(state, error);
      },
    });
  }

  // Ends only with an error; replies come from the page that holds the stream.
  function listen() {
    return new Promise((_, reject) => {
      let epoch = null;
      let heard = null;
      channel.onmessage = ({ data }) => {
        if (data.kind === 'away') return onState('away', new WireError(away, { message: data.message }));
        if (data.kind === 'up') return join();
        heard = data;
        if (data.epoch === epoch) took(data.reply);
      };
      join();

      async function join() {
        for (let pause = firstPause; !inner.signal.aborted; pause = Math.min(pause * 2, lastPause)) {
          try {
            ({ epoch } = await begin(inner.signal));
            // The broadcast may have arrived before the answer.
            if (heard?.epoch === epoch) reached(heard.reply.sequence);
            return;
          } catch (error) {
            if (error.isTemporary !== true) return error.name === 'AbortError' ? undefined : reject(error);
            onState('away', error);
          }
          await rest(pause, inner.signal);
        }
      }
    });
  }
}
