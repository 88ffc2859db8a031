// Detects a daemon that does not respond, for example because it is stopped.

/// How long a request may be silent.
const patienceMilliseconds = 3000;
/// The daemon is probed this long before, because a slow request is not a silent daemon.
const probeMilliseconds = 1000;
let heard = -Infinity;
let isSilent = false;
let isProbing = false;
let tell = () => {};

/// `listener(isSilent)` is called each time a response is late, and when one arrives.
export function onSilence(listener) { tell = listener; }

export function hear() {
  heard = performance.now();
  if (isSilent) { isSilent = false; tell(false); }
}

/// Starts the timer of a request and returns the function that stops it. `probe()` makes a call that the daemon answers
/// immediately.
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
