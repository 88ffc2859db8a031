// One question that may be refused as a matter of course, such as what is tried while somebody types.

import { WireError, away, stream } from './wire.js';

/// The last answer to a call. A refusal comes within the answer, so that the browser's console does not call it an error of the
/// network.
export async function ask(method, parameters = {}, options = {}) {
  let answer = null;
  await stream(method, parameters, (reply) => { answer = reply; }, options);
  if (answer === null) throw new WireError(away);
  return answer;
}

/// Why actions would be refused, as the daemon says it, or null: the rules are its own, and nobody else's.
export async function refusalOf(actions, options = {}) {
  try {
    await ask('Dispatch', { actions, dryRun: true }, options);
    return null;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    // Of what nobody can answer now it is said when it is done.
    return error.isPassing ? null : error;
  }
}
