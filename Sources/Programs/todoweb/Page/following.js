// Follows the log with one stream for all pages of this origin, because a browser allows only six connections. One page holds the
// stream and tells the others of each change; when it is closed or hidden, another takes over.

import { newest } from './panel.js';
import { firstPause, follow, lastPause, rest } from './wire.js';

const pauseMilliseconds = 100;
const patienceMilliseconds = 1000;

/// The name of the Web Lock and of the broadcast channel.
const name = 'todod.log';

/// Follows the log until the signal is aborted; throws like `follow`.
///
/// - `begin(signal)`: returns the current `{epoch, sequence}`; called each time the daemon was away, and without the stream at
///   each change.
/// - `took(reply)`: receives a reply of the stream.
/// - `onState('away', error)`: the daemon does not answer.
export async function followTogether({ begin, took, onState, signal }) {
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
    await follow('Subscribe', async () => {
      const { epoch, sequence } = await begin(signal);
      tell('changed');
      return { kind: 'records', epoch, from: { sequence: sequence + 1 } };
    }, (reply) => { took(reply); tell('changed'); }, {
      signal, onState: (state, error) => { if (state === 'away') tell('changed'); onState(state, error); },
    });
  }

  // Ends only with an error.
  function listen() {
    return new Promise((_, reject) => {
      let pause = firstPause;
      const question = newest({ pause: pauseMilliseconds, patience: patienceMilliseconds, run: async () => {
        await begin(inner.signal);
        pause = firstPause;
      }, onError: async (error) => {
        if (error.isTemporary !== true) return reject(error);
        onState('away', error);
        await rest(pause, inner.signal);
        pause = Math.min(pause * 2, lastPause);
        question.ask();
      } });
      channel.onmessage = () => question.ask();
      question.ask();
    });
  }
}
