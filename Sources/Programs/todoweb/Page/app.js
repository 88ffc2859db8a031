// Builds the page: skeleton, to be filled.
import { h } from './dom.js';
import { model } from './model.js';
import * as wire from './wire.js';

export const actions = {
  /// Shows the state after a record, 0 to head.
  go(sequence) { model.set({ moment: sequence, live: sequence >= model.head }); },
  /// Shows the present.
  live() { model.set({ live: true, moment: model.head }); },
  /// Selects `{sequence}`, `{path, value}` or null.
  select(selection) { model.set({ selection }); },
  /// Pins a second moment, or null.
  pin(sequence) { model.set({ pinned: sequence }); },
  /// Says a sentence in the status line. `undo`: a function behind a button.
  say(sentence, { error = false, undo = null } = {}) {},
  /// Asks: `lines` are texts or nodes. True if `yes` was pressed.
  async confirm({ title, lines, yes }) { return false; },
  /// Shows one of the panels: 'why', 'blame', 'whatif', 'forms', 'undo', 'bisect'.
  openPanel(name) {},
};
