// A call whose refusal is normal, such as a dry run while typing.

import { WireError, away, stream } from './wire.js';

/// Returns the last reply to a call. A refusal is part of the HTTP body, so that the browser's console does not report a network
/// error.
export async function ask(method, parameters = {}, options = {}) {
  let answer = null;
  await stream(method, parameters, (reply) => { answer = reply; }, options);
  if (answer === null) throw new WireError(away);
  return answer;
}

/// The daemon's refusal of some actions, or null. The rules exist only in the daemon.
export async function refusalOf(actions, options = {}) {
  try {
    await ask('Dispatch', { actions, dryRun: true }, options);
    return null;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    // Temporary errors are reported when the action is dispatched.
    return error.isTemporary ? null : error;
  }
}
