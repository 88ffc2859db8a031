// What is marked on the strip of time.

import { stream } from './wire.js';

const alertsMax = 200;

/// Reads the marks: bookmarks, invariants, and records that changed the alerts; those that take longer come with `later(marks)`.
export async function readMarks(model, later) {
  const bookmarks = model.bookmarks.map(({ name, sequence }) => ({ sequence, kind: 'bookmark', sign: '⚑', name, title: `Bookmark ${name}, @${sequence}` }));
  const invariants = await readInvariants();
  const first = [...bookmarks, ...invariants];
  if (model.features.some(({ name }) => name === 'alerts')) readAlerts().then((alerts) => later([...first, ...alerts]), () => {});
  return first;
}

async function readInvariants() {
  const marks = [];
  await stream('Invariants', {}, (reply) => {
    for (const { name, expression, record, holds } of reply.invariants) {
      const state = holds === false ? ' It does not hold now.' : '';
      marks.push({ sequence: record, kind: 'invariant', sign: '◇', title: `Invariant ${name} since @${record}: ${expression}.${state}` });
    }
  }).catch(() => {});
  return marks;
}

// Which records touched a place is kept beside the log, so this reads no log of millions through.
async function readAlerts() {
  const marks = [];
  await stream('Blame', { path: 'alerts.items', history: true }, (reply) => {
    for (const { sequence } of reply.origins) marks.push({ sequence, kind: 'alert', sign: '!', title: `Alerts changed, @${sequence}` });
  });
  return marks.slice(-alertsMax);
}
