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
