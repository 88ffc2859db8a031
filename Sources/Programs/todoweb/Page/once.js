// Executes a change exactly once, despite repeated clicks and lost replies.

import { ask, newKey, stream } from './wire.js';

const pauseMilliseconds = 500;
/// The unanswered changes: input as JSON -> promise of the reply.
const unanswered = new Map();

/// Calls a writing method and repeats it with the same key until the daemon answers. Concurrent identical calls share one reply.
///
/// - `onAway(error)`: called when it has to wait.
/// - `isPreviewed`: the user saw a preview at `model.head`. The call is not repeated if the log has grown otherwise.
export function once(model, method, input, { onAway, isPreviewed = false }) {
  const wish = JSON.stringify([method, input, model.epoch]);
  if (!unanswered.has(wish)) {
    unanswered.set(wish, send(model, method, input, { onAway, isPreviewed }).finally(() => unanswered.delete(wish)));
  }
  return unanswered.get(wish);
}

async function send(model, method, input, { onAway, isPreviewed }) {
  const { epoch, head } = model;
  const key = newKey();
  for (let isAgain = false; ; isAgain = true) {
    try {
      if (isAgain) await mayRepeat({ key, epoch, head, isPreviewed });
      return await ask(method, { ...input, key });
    } catch (error) {
      if (error.isUnanswered !== true) throw error;
      onAway(error);
    }
    await back(model);
  }
}

// A key is only known in the log where it was used.
async function mayRepeat({ key, epoch, head, isPreviewed }) {
  const status = await ask('Status');
  if (status.epoch !== epoch) throw new Error('A different log is served now. Whether this was done in the previous one is unknown.');
  if (!isPreviewed || status.sequence <= head) return;
  let isLogged = false;
  await stream('Log', { from: { sequence: head + 1 } }, ({ records }) => { isLogged ||= records.some((record) => record.key === key); });
  if (!isLogged) throw new Error('This was not done, because something else has changed. Check it again.');
}

// The daemon may be back before the page has noticed its absence.
function back(model) {
  return new Promise((resolve) => {
    const look = () => { if (model.connection === 'up') { end(); resolve(); } };
    const end = model.on('connection', look);
    setTimeout(look, pauseMilliseconds);
  });
}
