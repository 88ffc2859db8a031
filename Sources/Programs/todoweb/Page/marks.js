// The marks on the time slider.

import { stream } from './wire.js';

const alertsMax = 200;

export function bookmarkMarks(model) {
  return model.bookmarks.map(({ name, sequence }) =>
    ({ sequence, kind: 'bookmark', sign: '⚑', name, title: `Bookmark ${name}, @${sequence}` }));
}

/// Reads the invariants and the records that changed the alerts.
export async function readMarks(model, signal) {
  const alerts = model.features.some(({ name }) => name === 'alerts') ? await readAlerts(signal) : [];
  return [...await readInvariants(signal), ...alerts];
}

async function readInvariants(signal) {
  const marks = [];
  await stream('Invariants', {}, (reply) => {
    for (const { name, expression, record, holds } of reply.invariants) {
      const state = holds === false ? ' It does not hold now.' : '';
      marks.push({ sequence: record, kind: 'invariant', sign: '◇',
        title: `Invariant ${name} since @${record}: ${expression}.${state}` });
    }
  }, { signal });
  return marks;
}

// The path index makes this fast even in a log of millions.
async function readAlerts(signal) {
  const marks = [];
  await stream('Blame', { path: 'alerts.items', history: true }, (reply) => {
    for (const { sequence } of reply.origins) marks.push({ sequence, kind: 'alert', sign: '!',
      title: `Alerts changed, @${sequence}` });
  }, { signal });
  return marks.slice(-alertsMax);
}
