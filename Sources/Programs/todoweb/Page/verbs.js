// Finds the actions of any feature that a view can offer, from the daemon's description.

import { actionsOf } from './interface.js';

const simple = new Set(['bool', 'int', 'float', 'string']);
/// Maximum number of values asked for next to a button. Actions with more have a form in a panel.
const askedMax = 2;

/// The actions of a feature as `{name, about, needs}` in three lists: `plain` need no input, `ofRow` need a row's id and the
/// fields in `needs`, `asking` need a few values.
export async function verbsOf(feature) {
  const { actions, types } = await actionsOf(feature);
  const verbs = { plain: [], ofRow: [], asking: [], types };
  for (const { name, about, type } of actions) {
    const fields = fieldsOf(type, types);
    if (fields === null) continue;
    const needs = fields.filter(({ type: of }) => of.kind !== 'optional');
    const [first] = fields;
    const isOfRow = first?.name === 'id';
    const rest = needs.filter((field) => field !== first || !isOfRow);
    const verb = { name, about, needs: rest };
    if (rest.some(({ type: of }) => !simple.has(of.kind)) || rest.length > askedMax) continue;
    if (isOfRow) verbs.ofRow.push(verb);
    else (rest.length === 0 ? verbs.plain : verbs.asking).push(verb);
    // An action named by a text can be offered in any row.
    if (isOfRow && rest.length === 0 && first.type.kind === 'string') verbs.asking.push({ ...verb, needs: [first] });
  }
  return verbs;
}

// The fields of an action for the user, or null if its type is not a record.
function fieldsOf(type, types) {
  if (type.kind === 'optional') return fieldsOf(type.of, types);
  if (type.kind === 'named') return types.has(type.name) ? fieldsOf(types.get(type.name), types) : null;
  return type.kind === 'record' ? type.fields.filter(({ isFilledIn }) => !isFilledIn) : null;
}
