// Executes a change exactly once, despite repeated clicks and lost replies.

import { ask, newKey } from './wire.js';

const pauseMilliseconds = 500;
/// The unanswered changes: input as JSON -> promise of the reply.
const unanswered = new Map();

/// Calls a writing method and repeats it with the same key until the daemon answers. Concurrent identical calls share one reply.
/// `onAway(error)` is called when it has to wait.
export function once(model, method, input, { onAway }) {
  const wish = JSON.stringify([method, input, model.epoch]);
  if (!unanswered.has(wish)) unanswered.set(wish, send(model, method, input, onAway).finally(() => unanswered.delete(wish)));
  return unanswered.get(wish);
}

async function send(model, method, input, onAway) {
  const { epoch } = model;
  const key = newKey();
  for (let isAgain = false; ; isAgain = true) {
    try {
      // A key is only known in the log where it was used.
      if (isAgain && (await ask('Status')).epoch !== epoch) {
        throw new Error('A different log is served now. Whether this was done in the previous one is unknown.');
      }
      return await ask(method, { ...input, key });
    } catch (error) {
      if (error.isUnanswered !== true) throw error;
      onAway(error);
    }
    await back(model);
  }
}

// The daemon may be back before the page has noticed its absence.
function back(model) {
  return new Promise((resolve) => {
    const look = () => { if (model.connection === 'up') { end(); resolve(); } };
    const end = model.on('connection', look);
    setTimeout(look, pauseMilliseconds);
  });
}
