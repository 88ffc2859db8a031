// Builds the page: follows the daemon's log into the model, which the panels show.

import { mount as mountDispatch } from './dispatch.js';
import { button, fill, h } from './dom.js';
import { followTogether } from './following.js';
import { count, cut, moment } from './format.js';
import { listenToKeys, showKeys } from './keys.js';
import { mount as mountLog } from './log.js';
import { model } from './model.js';
import { followMoment, pointInWords } from './moments.js';
import { once } from './once.js';
import { newest, shownRecord } from './panel.js';
import { redoLast, revertTo, undoLast } from './propose.js';
import { lastWriter, mount as mountRecord } from './record.js';
import { Records } from './records.js';
import { onSilence } from './silence.js';
import { mount as mountSlider } from './slider.js';
import { mount as mountState } from './state.js';
import { tabs } from './tabs.js';
import { knowTimes, visible } from './visible.js';
import { mount as mountWhatIf, switchRecord } from './whatif.js';
import * as wire from './wire.js';

const records = new Records(model);
let details = null;
const denied = 'org.varlink.service.PermissionDenied';

/// The page's operations for panels.
const actions = {
  records,

  go(sequence) {
    const to = Math.round(Math.min(Math.max(sequence, model.base), model.head));
    const live = to >= model.head;
    actions.settle();
    model.set({ moment: to, live, record: null });
    // The state is requested first. Everything else waits for the frame.
    wishMoment();
  },

  live() {
    actions.settle();
    model.set({ live: true, moment: model.head, record: null });
  },

  selectRecord(record) { model.set({ record }); },

  selectPath(path) { model.set({ path }); },

  /// Pins a second moment to compare with, or unpins it with null.
  pin(sequence) { model.set({ pinned: sequence }); },

  /// Shows a message in the status line, with an optional undo button.
  say(sentence, { error = false, undo = null } = {}) {
    const status = document.getElementById('status');
    status.classList.toggle('error', error);
    fill(status, sentence);
    fill(document.getElementById('status-tools'), undo === null ? null : button('Undo', undo));
  },

  /// Removes an error from the status line.
  settle() { if (document.getElementById('status').classList.contains('error')) actions.say(''); },

  away(error) { actions.say(`${error.message} Your request will be sent again when it is back.`, { error: true }); },

  fail(error) {
    if (error.name === 'AbortError') return;
    if (error.name === denied) model.set({ readOnly: true });
    actions.say(error.message, { error: true });
  },

  async undo(step) {
    if (!actions.mayWrite()) return;
    try {
      const answer = await once(model, 'Undo', { steps: [step] }, { onAway: actions.away });
      const where = model.live ? '' : ' The present changed, not the past that you are viewing.';
      actions.say(`Undid step @${step}.${where}`, { undo: answer.first === undefined ? null : () => actions.undo(answer.first) });
    } catch (error) {
      actions.fail(error);
    }
  },

  /// Whether writing is possible; if not, the reason is shown.
  mayWrite() {
    if (model.readOnly) actions.say('Nothing can be changed: this page is read-only.', { error: true });
    return !model.readOnly;
  },

  undoLast: () => undoLast(context),
  redoLast: () => redoLast(context),
  revert: () => model.live ? actions.say('This is now. Go to an earlier moment first.') : revertTo(context, model.moment),

  /// Leaves the shown record out of the what-if history, or puts it back.
  switchRecord() {
    if (shownRecord(model) > model.base) switchRecord(model, shownRecord(model));
    actions.openPanel('whatif');
  },

  /// Selects the record that last set the selected value.
  async blame() {
    const { path, moment: at } = model;
    if (path === null) return actions.say('Select a value in the state first.', { error: true });
    try {
      const record = await lastWriter(path, at);
      if (record === undefined) return actions.say(`No record set ${path}.`);
      actions.selectRecord(record.sequence);
      actions.openPanel('record');
    } catch (error) {
      actions.fail(error);
    }
  },

  /// Opens a panel of the details: 'record', 'whatif', 'dispatch'.
  openPanel(name, options = { focus: true }) { details.open(name, options); },

  /// Goes to a moment in words. Returns whether they could be parsed.
  async goTo(words) {
    try { actions.go(await pointInWords(words, model)); return true; } catch (error) { actions.fail(error); return false; }
  },

  /// `note` is shown instead of the copied words.
  async copy(words, what, note = cut(words, 120)) {
    try {
      await navigator.clipboard.writeText(words);
      actions.say(`Copied ${what}: ${note}`);
    } catch {
      actions.say('The browser does not let this page copy.', { error: true });
    }
  },
};

const tokenNote = 'it contains the token, which gives your rights to anyone who has it.';
const context = { model, actions };
const panels = [['record', 'Record', mountRecord], ['whatif', 'What if', mountWhatIf], ['dispatch', 'Dispatch', mountDispatch]];

function build() {
  mountTop();
  mountSlider(document.getElementById('time'), context);
  mountState(document.getElementById('middle'), context);
  mountLog(document.getElementById('log'), context);
  details = tabs(document.getElementById('details'), {
    label: 'Details', items: panels.map(([name, title, mount]) => ({ name, title, mount: (panel) => mount(panel, context) })),
    onOpen: (name) => { document.body.dataset.panel = name; },
  });
  listenToKeys(context);
}

function mountTop() {
  const back = button('Back to now', actions.live, { class: 'primary' });
  const revert = button('Revert to here…', actions.revert);
  const share = button('Copy address', () =>
    actions.copy(wire.sharedAddress(model.live ? null : model.moment), 'the address of this moment', tokenNote));
  const [undo, redo] = [button('Undo…', actions.undoLast), button('Redo…', actions.redoLast)];
  const [state, what] = [h('strong', { class: 'live' }), h('span', { class: 'moment' })];
  fill(document.getElementById('clock'), state, what, back, revert, share);
  fill(document.getElementById('tools'), undo, redo, button('?', () => showKeys(context), { ariaLabel: 'Keys and help' }));
  const show = () => {
    document.body.classList.toggle('past', !model.live);
    document.body.classList.toggle('away', model.connection !== 'up');
    const shown = model.live ? '● Live' : '◆ Past';
    state.textContent = model.connection !== 'up' ? '○ Away' : model.isSilent ? '○ No answer' : shown;
    what.textContent = model.live ? `@${count(model.head)}`
      : `${moment(model.moment, model.stateSequence === model.moment ? model.stateTime : null)} of @${count(model.head)}`;
    back.hidden = model.live;
    revert.hidden = model.live || model.readOnly;
    undo.hidden = redo.hidden = model.readOnly;
  };
  model.on(['live', 'moment', 'head', 'connection', 'isSilent', 'stateTime', 'stateSequence', 'readOnly'], show);
  show();
}

// The log is followed while the page is visible.
let following = null;
/// A page that was hidden for a shorter time keeps its connection.
const hiddenMilliseconds = 5000;

function followLog() {
  following?.abort();
  following = new AbortController();
  const { signal } = following;
  followTogether({
    begin, took, signal,
    onState: (connection, error) => {
      if (connection === 'away' && !signal.aborted) { model.set({ connection }); actions.say(error.message, { error: true }); }
    },
  }).catch((error) => {
    if (error.name === 'org.todod.Store.EpochChanged') return followLog();
    model.set({ connection: 'lost' });
    actions.fail(error);
  });
}

let wished = null;

async function begin(signal) {
  const status = await wire.ask('Status', {}, { signal });
  const isOther = status.epoch !== model.epoch;
  const wasOther = isOther && model.epoch !== null;
  if (isOther) forgetLog(status.epoch, wasOther);
  const wasAway = model.connection !== 'up';
  const hasMissed = !isOther && status.sequence > model.head;
  model.set({ connection: 'up', readOnly: model.readOnly || status.mode === 'inspect' });
  take(status);
  knowTimes(status);
  setHead(status.sequence);
  if (wasAway) actions.say('');
  if (wasAway || wasOther) learn().catch(actions.fail);
  else if (hasMissed) { refreshBookmarks(); undoneSteps.ask(); }
  if (wasOther) actions.say('A different log is served now. Views of the previous one are closed.', { error: true });
  const words = wished;
  wished = null;
  if (words !== null && !await actions.goTo(words)) model.set({ live: true, moment: model.head });
  return status;
}

// Data of one log is invalid for another.
function forgetLog(epoch, wasOther) {
  records.forget();
  model.set({ epoch, stateSequence: -1, pinned: null, head: 0, redactions: 0 });
  if (!wasOther) return;
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close('');
  model.set({ live: true, moment: 0, record: null, path: null, state: {}, shown: null, alterations: [],
    bookmarks: [], undone: new Map() });
}

// A log may be truncated at its beginning, or texts redacted, without a new record.
function take({ base = 0, redactions = 0 }) {
  if (redactions !== model.redactions) { records.forget(); model.set({ redactions, record: null, shown: null }); }
  model.set({ base, moment: Math.max(model.moment, base) });
}

const lookMilliseconds = 5000;

async function look() {
  if (document.hidden || model.connection !== 'up') return;
  const { epoch } = model;
  const status = await wire.ask('Status').catch(() => null);
  if (status?.epoch !== epoch || epoch !== model.epoch) return;
  take(status);
  setHead(Math.max(model.head, status.sequence));
}

function setHead(head) {
  model.set(model.live ? { head, moment: head } : { head, moment: Math.min(model.moment, head) });
}

function took(reply) {
  records.add(reply.records);
  setHead(Math.max(model.head, reply.sequence));
  if (reply.records.some(({ kind }) => kind === 'bookmark')) refreshBookmarks();
  if (reply.records.some(({ undoes }) => undoes !== undefined)) undoneSteps.ask();
}

async function learn() {
  const info = await wire.ask('GetInfo');
  const store = info.interfaces.find((name) => name.endsWith('.Store')) ?? '';
  const prefix = store.replace(/Store$/, 'feature.');
  const interfaces = info.interfaces.filter((name) => name.startsWith(prefix));
  const features = interfaces.map((name) => {
    const title = name[prefix.length].toLowerCase() + name.slice(prefix.length + 1);
    return { name: interfaces.length === 1 ? '' : title, title, interface: name };
  });
  // A restarted daemon has the same features. Forms made from them must keep their input.
  if (JSON.stringify(features) !== JSON.stringify(model.features)) model.set({ features });
  document.title = visible(info.product);
  fill(document.getElementById('name'), document.title);
  await refreshBookmarks();
  undoneSteps.ask();
  // An empty dry run tells whether writing is allowed.
  const refusal = await wire.ask('Dispatch', { actions: [], dryRun: true }).then(() => null, (error) => error);
  if (refusal?.status === 403 || refusal?.name === denied) model.set({ readOnly: true });
}

async function refreshBookmarks() {
  const bookmarks = [];
  const read = wire.stream('Bookmarks', {}, (reply) => { bookmarks.push(...reply.bookmarks); });
  await read.then(() => model.set({ bookmarks }), actions.fail);
}

/// Number of steps that are searched for undone ones.
const stepsMax = 200;

const undoneSteps = newest({ pause: 300, onError: () => {}, run: async (signal) => {
  const undone = new Map();
  await wire.stream('Steps', { any: true, limit: stepsMax }, (reply) => {
    for (const step of reply.steps) if (step.stage === 'undone') undone.set(step.step, step.by);
  }, { signal });
  model.set({ undone });
} });

const shownMilliseconds = 300;

// Loads the record of the shown state for its changes and its time. A record of the stream has no changes yet.
function followShown() {
  const show = () => {
    const record = records.get(model.stateSequence);
    if (record?.sentence === undefined) return model.set({ shown: null });
    model.set({ shown: record, stateTime: record.time });
  };
  const question = newest({ pause: shownMilliseconds, patience: 2000, onError: () => {}, run: async () => {
    await records.load(model.stateSequence);
    records.complete();
  } });
  const { onLoad } = records;
  records.onLoad = () => { show(); onLoad(); };
  model.on(['stateSequence', 'head'], () => { show(); question.ask(); });
}

const silence = 'The daemon does not respond. Your requests will be executed when it does.';

function followSilence() {
  onSilence((isSilent) => {
    model.set({ isSilent });
    const isShown = document.getElementById('status').textContent === silence;
    if (isSilent && !isShown && model.connection === 'up') actions.say(silence, { error: true });
    else if (!isSilent && isShown) actions.say('');
  });
}

function followAddress() {
  const write = newest({ pause: 250, onError: () => {}, run: () => wire.writeAddress(model.live ? null : model.moment) });
  model.on(['moment', 'live'], write.ask);
  addEventListener('hashchange', () => {
    const at = wire.takeAddress().get('at');
    if (model.connection !== 'lost') { if (at !== null) actions.goTo(at); return; }
    wished = at;
    followLog();
  });
}

function followVisibility() {
  let timer = 0;
  const changed = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => following.abort(), hiddenMilliseconds);
    else if (following.signal.aborted) followLog();
  };
  document.addEventListener('visibilitychange', changed);
  // Also for a page that was opened in the background.
  changed();
}

wished = wire.takeAddress().get('at');
if (wished !== null) model.set({ live: false });
build();
const wishMoment = followMoment(model, {
  onError: (error) => { actions.fail(error); if (error.name === 'org.todod.Store.PrunedSequence') look(); },
  onShown: actions.settle,
});
setInterval(look, lookMilliseconds);
followShown();
followSilence();
followAddress();
followLog();
followVisibility();
