// Notices that the daemon is there and does not answer, as one that was stopped.

/// So long an answer is waited for without a word.
const patienceMilliseconds = 3000;
/// So long before that it is asked whether it answers at all: what only takes long is no silence.
const probeMilliseconds = 1000;
let heard = -Infinity;
let isSilent = false;
let isProbing = false;
let tell = () => {};

/// `listener(isSilent)` hears when an answer is late, each time one is, and when one came at last.
export function onSilence(listener) { tell = listener; }

/// Says that the daemon answered something.
export function hear() {
  heard = performance.now();
  if (isSilent) { isSilent = false; tell(false); }
}

/// Begins to wait for an answer, and returns what ends that. `probe()` asks the daemon for anything that it answers at once.
export function awaitAnswer(probe) {
  let timer = 0;
  const wait = () => {
    timer = setTimeout(() => {
      const asked = performance.now();
      if (!isProbing) { isProbing = true; probe().then(hear, () => {}).finally(() => { isProbing = false; }); }
      timer = setTimeout(() => {
        if (heard < asked) { isSilent = true; tell(true); }
        wait();
      }, probeMilliseconds);
    }, patienceMilliseconds - probeMilliseconds);
  };
  wait();
  return () => clearTimeout(timer);
}
