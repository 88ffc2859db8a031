// A change that is tried, shown and asked about before it is made.

import { ask } from './ask.js';
import { openDialog } from './dialog.js';
import { fill, h } from './dom.js';
import { once } from './once.js';
import { answerSentences, conflictSentences, isNothing } from './order.js';
import { newest } from './panel.js';

const pauseMilliseconds = 200;

/// Shows what a method would change, asks, and calls it. Answers what it answered, or null where nothing was done, which is told.
///
/// - `title`, `yes`: of the dialog. `done`: the sentence afterwards. `nothing`: the one where there is nothing to change.
/// - `mayForce`: whether what has changed since may be overwritten, if that is chosen.
/// Errors are told in the status line; `onError(error)` may take them instead, by answering true.
export async function propose(context, wish) {
  const { model, actions } = context;
  if (model.readOnly) { actions.say('Nothing can be changed: this page may only read.', { error: true }); return null; }
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

// Shows what would come of it until that is agreed to or not, and does it. A daemon that says what its outcome is does nothing else than that;
// what came in between is then shown anew.
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

// What was shown is what is done, even if something else is done meanwhile: the last steps are named.
function pinned(wish, { steps }) {
  const { steps: named, place, redo, ...rest } = wish.input;
  return wish.method !== 'Undo' || named !== undefined || place !== undefined ? wish : { ...wish, input: { ...rest, steps } };
}

// Asks whether it is to be done, and answers what was shown when that was agreed to, or null. What would come of it is shown anew when
// the log grows.
async function shownAtYes(context, wish, first, isAgain) {
  const { model } = context;
  const place = h('div', { class: 'content' });
  let shown = first;
  let failure = null;
  const show = () => fill(place, shown === first && !isAgain ? null : h('p', { class: 'error' }, 'This has changed meanwhile.'),
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
  const lines = answerSentences(would, { developer: model.developer });
  const now = model.live ? [] : [h('p', { class: 'hint' }, 'It is the present that changes, not the past that you look at.')];
  const forced = isForced ? [h('p', { class: 'error' }, 'What has changed since is overwritten.')] : [];
  return [...now, ...forced, h('p', {}, 'It would change:'), h('ul', { class: 'sentences' },
    (lines.length === 0 ? ['only what the daemon needs itself'] : lines).map((line) => h('li', {}, line)))];
}

// What can be chosen after a refusal: to overwrite, or to mean anybody's step.
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
    const isYes = await openDialog({ title: 'A step of somebody else', lines: [`Step @${step} is that of uid ${uid}.`],
      yes: 'Take it back all the same…' });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, any: true } }) : null;
  }
  actions.fail(error);
  return null;
}

/// Takes a step back, after its preview.
export function undoStep(context, step) {
  return propose(context, {
    method: 'Undo', input: { steps: [step] }, mayForce: true, title: `Take back step @${step}?`, yes: 'Take it back',
    done: `Took back step @${step}.`, nothing: `Nothing would change without step @${step}.`,
  });
}

/// Does a step again by taking back the one that took it back.
export function redoStep(context, step, undoing) {
  return propose(context, {
    method: 'Undo', input: { steps: [undoing] }, mayForce: true, title: `Do step @${step} again?`, yes: 'Do it again',
    done: `Did step @${step} again.`, nothing: 'Nothing would change.',
  });
}

/// Goes back to how everything, or a place, was at a moment.
export function revertTo(context, sequence, place) {
  const what = place === undefined ? 'everything' : place;
  return propose(context, {
    method: 'Revert', input: { to: { sequence }, ...place === undefined ? {} : { place } },
    title: `Put ${what} back as it was at @${sequence}?`, yes: 'Put it back', done: `Put ${what} back as it was at @${sequence}.`,
    nothing: `${place === undefined ? 'Everything' : place} is as it was at @${sequence}.`,
  });
}
