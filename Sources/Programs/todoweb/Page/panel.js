// Shared parts of the panels: when they load, how they report, and links to records.

import { button, fill, h } from './dom.js';
import { plural, when } from './format.js';
import { changeSentence, isInternal } from './sentence.js';
import { isShown } from './tabs.js';
import { capitalised } from './visible.js';
import { caller } from './wire.js';

/// Calls `update` when one of these fields changes while the panel is visible, or when it becomes visible. Also after redactions,
/// because no panel may keep redacted texts.
export function whileShown(element, model, names, update) {
  let isOutdated = true;
  const run = () => { if (isOutdated && isShown(element)) { isOutdated = false; update(); } };
  element.addEventListener('shown', run);
  model.on([...names, 'redactions'], () => { isOutdated = true; run(); });
  run();
}

/// Whether the user is interacting with a panel, so that it is not replaced when the log grows. `update` is called when they
/// leave.
export function attended(content, update) {
  const isAttended = () => content.matches(':hover') || content.contains(document.activeElement);
  content.addEventListener('pointerleave', update);
  content.addEventListener('focusout', () => setTimeout(update));
  return isAttended;
}

/// Debounces a request: `ask(...)` calls `run(signal, ...)` with the newest arguments after `pause` milliseconds, a number or a
/// function. A running request is aborted only after `patience` milliseconds, so that frequent calls still get results. Errors of
/// `run` go to `onError`.
export function newest({ pause = 0, patience = 0, run, onError }) {
  let current = null;
  let began = 0;
  let timer = null;
  let wish = null;
  const rest = () => typeof pause === 'function' ? pause() : pause;
  const schedule = (milliseconds) => { timer ??= setTimeout(() => { timer = null; next(); }, milliseconds); };
  const next = async () => {
    if (wish === null) return;
    const left = current === null ? 0 : began + patience - performance.now();
    if (left > 0) return schedule(left);
    current?.abort();
    const mine = current = new AbortController();
    began = performance.now();
    const asked = wish;
    wish = null;
    try { await run(mine.signal, ...asked); } catch (error) {
      if (error.name !== 'AbortError' && !mine.signal.aborted) onError(error);
    }
    if (current !== mine) return;
    current = null;
    if (wish !== null) { clearTimeout(timer); timer = null; schedule(rest()); }
  };
  return {
    ask(...asked) { wish = asked; schedule(rest()); },
    stop() { clearTimeout(timer); timer = wish = null; current?.abort(); current = null; },
  };
}

/// A status line that is read aloud.
export function note() {
  const element = h('p', { class: 'note', role: 'status' });
  return {
    element,
    say(sentence) { element.classList.remove('error'); fill(element, sentence); },
    fail(error) { element.classList.add('error'); fill(element, problem(error)); },
  };
}

export function problem({ message }) {
  const text = capitalised(message);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/// The user in words: `you`, or `uid 1000`.
export function who(uid) { return uid === caller.uid ? 'you' : `uid ${uid}`; }

/// A button styled as a link.
export function link(text, onclick, properties = {}) {
  return button(text, onclick, { class: 'link', ...properties });
}

/// A button that selects a record: `@12 removed 6: Send the invoice`.
export function recordLink(record, { model, actions }, changes, { isNumbered = true } = {}) {
  const number = isNumbered ? h('span', { class: 'sequence' }, `@${record.sequence} `) : null;
  const isCurrent = shownRecord(model) === record.sequence;
  return link([number, actions.records.sentence(record, changes)], () => actions.selectRecord(record.sequence),
    { 'aria-current': isCurrent ? 'true' : null, title: `${when(record.time)}, ${who(record.origin)}` });
}

/// The first changes as sentences, without internal ones; `more(change)` adds to a line.
export function changeList(changes, { more = () => null, max = 60 } = {}) {
  if (changes === undefined || changes === null) return h('p', {}, 'There are more changes than can be shown.');
  const visibleChanges = changes.filter((change) => !isInternal(change));
  if (visibleChanges.length === 0) return h('p', { class: 'hint' }, changes.length === 0 ? 'Nothing.' : 'Only internal fields.');
  const lines = visibleChanges.slice(0, max).map((change) =>
    h('li', { class: change.kind }, changeSentence(change), more(change)));
  const left = visibleChanges.length - max;
  return [h('ul', { class: 'sentences' }, lines), left > 0 ? h('p', {}, `And ${plural(left, 'more change')}.`) : null];
}

/// The selected record, or that of the moment.
export function shownRecord(model) { return model.record ?? model.moment; }

/// A heading with content; nothing if the content is empty.
export function section(title, ...children) {
  const content = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return content.length === 0 ? null : h('section', { class: 'part' }, h('h3', {}, title), content);
}

/// Replaces the content of a panel. The focus moves to the same control, or to the heading instead of the top of the page.
export function refill(element, heading, ...children) {
  const focused = element.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const above = element.closest('.panel');
  const place = above?.scrollTop ?? 0;
  fill(element, heading, ...children);
  if (above !== null) above.scrollTop = place;
  if (focused === null) return;
  heading.tabIndex = -1;
  const same = [...element.querySelectorAll('button')].find((control) => nameOf(control) === focused);
  (same ?? heading).focus({ preventScroll: true });
}

function nameOf(control) { return control.getAttribute('aria-label') ?? control.textContent; }
