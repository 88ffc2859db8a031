// A change that is tried, shown and asked about before it is made.

import { ask } from './ask.js';
import { h } from './dom.js';
import { answerSentences, conflictSentences, isNothing } from './order.js';
import { newKey } from './wire.js';

/// Shows what a method would change, asks, and calls it. Answers what it answered, or null where nothing was done, which is told.
///
/// - `title`, `yes`: of the dialog. `done`: the sentence afterwards. `nothing`: the one where there is nothing to change.
/// - `mayForce`: whether what has changed since may be overwritten, if that is chosen.
/// Errors are told in the status line; `onError(error)` may take them instead, by answering true.
export async function propose(context, wish) {
  const { model, actions } = context;
  if (model.readOnly) { actions.say('Nothing can be changed: this page may only read.', { error: true }); return null; }
  try {
    const would = await ask(wish.method, { ...wish.input, dryRun: true });
    if (isNothing(would)) { actions.say(wish.nothing); return null; }
    const lines = preview(would, model, wish.input.force === true);
    if (!await actions.confirm({ title: wish.title, lines, yes: wish.yes })) return null;
    const answer = await ask(wish.method, { ...wish.input, key: newKey() });
    const step = answer.first ?? answer.step;
    if (step === undefined) { actions.say(wish.nothing); return null; }
    actions.say(wish.done, { undo: () => actions.undo(step) });
    return answer;
  } catch (error) {
    if (wish.onError?.(error) === true) return null;
    return await other(context, wish, error);
  }
}

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
  const name = error.name.split('.').at(-1);
  if (name === 'ChangedSince' && !wish.input.force) {
    const [first, ...rest] = conflictSentences(error.parameters);
    const lines = [first, h('ul', { class: 'sentences' }, rest.map((line) => h('li', {}, line)))];
    const yes = wish.mayForce ? 'Overwrite that…' : undefined;
    const isYes = await actions.confirm({ title: 'It has changed since', lines, yes });
    return isYes ? await propose(context, { ...wish, input: { ...wish.input, force: true } }) : null;
  }
  if (name === 'StepOfAnother' && !wish.input.any) {
    const { step, uid } = error.parameters;
    const isYes = await actions.confirm({ title: 'A step of somebody else', lines: [`Step @${step} is that of uid ${uid}.`],
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
