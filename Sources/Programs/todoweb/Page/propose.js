// Previews a change and asks for confirmation.

import { openDialog } from './dialog.js';
import { fill, h } from './dom.js';
import { once } from './once.js';
import { answerSentences, conflictSentences, isNothing } from './order.js';
import { newest } from './panel.js';
import { ask } from './wire.js';

const pauseMilliseconds = 200;

/// Previews a method, asks, and calls it. Returns its answer, or null if nothing was done, which is reported.
///
/// - `title`, `yes`: labels of the dialog. `done`: the message afterwards. `nothing`: the message if there is nothing to change.
/// - `mayForce`: whether conflicts may be overwritten, if the user chooses so. Errors are shown in the status line unless
///   `onError(error)` returns true.
export async function propose(context, wish) {
  const { model, actions } = context;
  if (model.readOnly) { actions.say('Nothing can be changed: this page is read-only.', { error: true }); return null; }
  try {
    const answer = await agreed(context, wish);
    if (answer === null) return null;
    const step = answer.first ?? answer.step;
    if (step === undefined) { actions.say(wish.nothing); return null; }
    actions.say(wish.done, { undo: () => actions.undo(step) });
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
    const { outcome } = shown;
    try {
      return await once(model, wish.method, { ...wish.input, ...outcome === undefined ? {} : { expectedOutcome: outcome } },
        { onAway: actions.away, isPreviewed: outcome === undefined });
    } catch (error) {
      if (error.name !== 'org.todod.Store.StaleSequence' || outcome === undefined) throw error;
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
  let failure = null;
  const show = () => fill(place, shown === first && !isAgain ? null : h('p', { class: 'error' }, 'This has changed since.'),
    isNothing(shown) ? h('p', {}, 'Nothing would change.') : preview(shown, model, wish.input.force === true));
  const take = (would) => { if (!isSame(would, shown)) { shown = would; show(); } };
  const question = newest({ pause: pauseMilliseconds, run: async () => take(await dryRun(wish)), onError: () => {} });
  const end = model.on('head', () => question.ask());
  const save = async () => {
    const seen = shown;
    if (seen.outcome !== undefined) return isNothing(seen) ? '' : null;
    try {
      const would = await dryRun(wish);
      take(would);
      return isSame(would, seen) && !isNothing(would) ? null : '';
    } catch (error) {
      failure = error;
      return null;
    }
  };
  show();
  try {
    const isYes = await openDialog({ title: wish.title, lines: [place], yes: wish.yes, save });
    if (isYes && failure !== null) throw failure;
    return isYes ? shown : null;
  } finally {
    end();
    question.stop();
  }
}

function isSame(one, other) { return JSON.stringify(one) === JSON.stringify(other); }

function preview(would, model, isForced) {
  const lines = answerSentences(would);
  const now = model.live ? [] : [h('p', { class: 'hint' }, 'The present changes, not the past that you are viewing.')];
  const forced = isForced ? [h('p', { class: 'error' }, 'What has changed since is overwritten.')] : [];
  return [...now, ...forced, h('p', {}, 'It would change:'), h('ul', { class: 'sentences' },
    (lines.length === 0 ? ['only internal fields'] : lines).map((line) => h('li', {}, line)))];
}

// The options after a refusal: to overwrite conflicts, or to include steps of other users.
async function other(context, wish, error) {
  const { actions } = context;
  const name = error.name.replace('org.todod.Store.', '');
  if (name === 'ChangedSince' && !wish.input.force) {
    const [first, ...rest] = conflictSentences(error.parameters);
    const lines = [first, h('ul', { class: 'sentences' }, rest.map((line) => h('li', {}, line)))];
    const yes = wish.mayForce ? 'Overwrite that…' : undefined;
    const isYes = await openDialog({ title: 'It has changed since', lines, yes });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, force: true } }) : null;
  }
  if (name === 'StepOfAnother' && !wish.input.any) {
    const { step, uid } = error.parameters;
    const isYes = await openDialog({ title: 'A step of another user', lines: [`Step @${step} is that of uid ${uid}.`],
      yes: 'Undo it anyway…' });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, any: true } }) : null;
  }
  actions.fail(error);
  return null;
}

export function undoLast(context, input = {}) {
  return propose(context, { method: 'Undo', input, mayForce: true, title: 'Undo the last step?', yes: 'Undo it',
    done: 'Undid the last step.', nothing: 'Nothing would change without the last step.' });
}

export function redoLast(context, input = {}) {
  return propose(context, { method: 'Undo', input: { redo: true, ...input }, mayForce: true, title: 'Redo the last undone step?',
    yes: 'Redo it', done: 'Redid the last undone step.', nothing: 'Nothing would change.' });
}

export function undoStep(context, step) {
  return propose(context, {
    method: 'Undo', input: { steps: [step] }, mayForce: true, title: `Undo step @${step}?`, yes: 'Undo it',
    done: `Undid step @${step}.`, nothing: `Nothing would change without step @${step}.`,
  });
}

export function redoStep(context, step, undoing) {
  return propose(context, {
    method: 'Undo', input: { steps: [undoing] }, mayForce: true, title: `Redo step @${step}?`, yes: 'Redo it',
    done: `Redid step @${step}.`, nothing: 'Nothing would change.',
  });
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
