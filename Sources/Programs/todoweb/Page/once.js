// A change that is asked for: it is made once, however often it is clicked and however often the answer is lost.

import { ask } from './ask.js';
import { newKey, stream } from './wire.js';

const pauseMilliseconds = 500;
/// The wishes that are not answered yet: what is asked for, as JSON -> the promise of the answer.
const unanswered = new Map();

/// Calls a method that writes, and calls it again under the same key until the daemon has answered. Who asks for the same
/// meanwhile gets the same answer.
///
/// - `onAway(error)`: hears why it waits.
/// - `isPreviewed`: what was shown of it is of the state at `model.head`; where that has grown by something else it is not sent again.
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

// A key is known in the log that it was used in, and nowhere else.
async function mayRepeat({ key, epoch, head, isPreviewed }) {
  const status = await ask('Status');
  if (status.epoch !== epoch) throw new Error('Another log is served now. Whether this was done in the one before is not known.');
  if (!isPreviewed || status.sequence <= head) return;
  let isLogged = false;
  await stream('Log', { from: { sequence: head + 1 } }, ({ records }) => { isLogged ||= records.some((record) => record.key === key); });
  if (!isLogged) throw new Error('This was not done, and something else was done meanwhile. Look at it again.');
}

// It may be back before the page has noticed that it was away.
function back(model) {
  return new Promise((resolve) => {
    const look = () => { if (model.connection === 'up') { end(); resolve(); } };
    const end = model.on('connection', look);
    setTimeout(look, pauseMilliseconds);
  });
}
