// Previews a change and asks for confirmation.

import { openDialog } from './dialog.js';
import { fill, h } from './dom.js';
import { once } from './once.js';
import { conflictSentences, effectSentences, isNothing } from './order.js';
import { changeList, newest } from './panel.js';
import { ask } from './wire.js';

const pauseMilliseconds = 200;
const shownMax = 20;

/// Previews a method, asks, and calls it. Returns its answer, or null if nothing was done, which is reported.
///
/// - `title`, `yes`: labels of the dialog. `done`: the message afterwards, or a function of the answer. `nothing`: the message if
///   there is nothing to change.
/// - `mayForce`: whether conflicts may be overwritten, if the user chooses so. Errors are shown in the status line unless
///   `onError(error)` returns true.
export async function propose(context, wish) {
  const { actions } = context;
  if (!actions.mayWrite()) return null;
  try {
    const answer = await agreed(context, wish);
    if (answer === null) return null;
    const step = answer.first ?? answer.sequences?.[0];
    if (step === undefined) { actions.say(wish.nothing); return null; }
    actions.say(typeof wish.done === 'function' ? wish.done(answer) : wish.done, { undo: () => actions.undo(step) });
    return answer;
  } catch (error) {
    if (wish.onError?.(error) === true) return null;
    return await other(context, wish, error);
  }
}

// Repeats preview and confirmation until the call succeeds with the previewed result or the user cancels.
async function agreed(context, wish) {
  const { model, actions } = context;
  for (let isAgain = false; ; isAgain = true) {
    let would = await dryRun(wish);
    if (isNothing(would)) { actions.say(wish.nothing); return null; }
    const named = pinned(wish, would);
    if (named !== wish) would = await dryRun(named);
    wish = named;
    const shown = await shownAtYes(context, wish, would, isAgain);
    if (shown === null) return null;
    try {
      return await once(model, wish.method, { ...wish.input, expectedOutcome: shown.outcome }, { onAway: actions.away });
    } catch (error) {
      if (error.name !== 'org.todod.Store.StaleSequence') throw error;
    }
  }
}

function dryRun({ method, input }) { return ask(method, { ...input, dryRun: true }); }

// Names the previewed steps explicitly, so that concurrent changes do not affect which steps are undone.
function pinned(wish, { steps }) {
  const { steps: named, place, redo, ...rest } = wish.input;
  return wish.method !== 'Undo' || named !== undefined || place !== undefined ? wish : { ...wish, input: { ...rest, steps } };
}

// Asks for confirmation and returns the confirmed preview, or null. The preview is updated when the log grows.
async function shownAtYes(context, wish, first, isAgain) {
  const { model } = context;
  const place = h('div', { class: 'content' });
  let shown = first;
  const show = () => fill(place, shown === first && !isAgain ? null : h('p', { class: 'error' }, 'This has changed since.'),
    isNothing(shown) ? h('p', {}, 'Nothing would change.') : preview(shown, model, wish.input.force === true));
  const question = newest({ pause: pauseMilliseconds, onError: () => {}, run: async () => {
    const would = await dryRun(wish);
    if (JSON.stringify(would) !== JSON.stringify(shown)) { shown = would; show(); }
  } });
  const end = model.on('head', () => question.ask());
  show();
  const save = async () => isNothing(shown) ? '' : null;
  const isYes = await openDialog({ title: wish.title, lines: [place], yes: wish.yes, save });
  end();
  question.stop();
  return isYes ? shown : null;
}

function preview(would, model, isForced) {
  return [
    model.live ? null : h('p', { class: 'hint' }, 'The present changes, not the past that you are viewing.'),
    isForced ? h('p', { class: 'error' }, 'What has changed since is overwritten.') : null,
    h('p', {}, 'It would change:'), changeList(would.changes, { max: shownMax }),
    effectSentences(would).map((line) => h('p', {}, line)),
  ];
}

// The options after a refusal: to overwrite conflicts, or to include steps of other users.
async function other(context, wish, error) {
  const { actions } = context;
  const name = error.name.replace('org.todod.Store.', '');
  if (name === 'ChangedSince' && !wish.input.force) {
    const lines = ['Nothing was done.', ...conflictSentences(error.parameters)];
    const yes = wish.mayForce ? 'Overwrite that…' : undefined;
    const isYes = await openDialog({ title: 'It has changed since', lines, yes });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, force: true } }) : null;
  }
  if (name === 'StepOfAnother' && !wish.input.any) {
    const isYes = await openDialog({ title: 'A step of another user', lines: [error.message], yes: 'Undo it anyway…' });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, any: true } }) : null;
  }
  actions.fail(error);
  return null;
}

function undo(context, input, title, done) {
  const nothing = 'Nothing would change.';
  return propose(context, { method: 'Undo', input, mayForce: true, title, yes: title.split(' ')[0], done, nothing });
}

export function undoLast(context) { return undo(context, { any: true }, 'Undo the last step?', 'Undid the last step.'); }

export function redoLast(context) {
  return undo(context, { redo: true, any: true }, 'Redo the last undone step?', 'Redid the last undone step.');
}

export function undoStep(context, step) {
  return undo(context, { steps: [step] }, `Undo step @${step}?`, `Undid step @${step}.`);
}

export function redoStep(context, step, undoing) {
  return undo(context, { steps: [undoing] }, `Redo step @${step}?`, `Redid step @${step}.`);
}

/// Restores the state of a moment, or one place of it.
export function revertTo(context, sequence, place) {
  const what = place === undefined ? 'everything' : place;
  return propose(context, {
    method: 'Revert', input: { to: { sequence }, ...place === undefined ? {} : { place } },
    title: `Put ${what} back as it was at @${sequence}?`, yes: 'Put it back', done: `Put ${what} back as it was at @${sequence}.`,
    nothing: `${place === undefined ? 'Everything' : place} is as it was at @${sequence}.`,
  });
}
