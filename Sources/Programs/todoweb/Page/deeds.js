// What can be done with a feature where it is looked at: found in the daemon's description of its actions, so that it holds for any.

import { actionsOf } from './interface.js';

const simple = new Set(['bool', 'int', 'float', 'string']);
/// So many values are asked for beside a button; what takes more has its form among the panels.
const askedMax = 2;

/// The deeds of a feature as `{name, about, needs}`, in three lists: `plain` need nothing, `ofRow` the id of a row and what `needs` says
/// besides, `asking` a few values. `needs` are fields that must be there.
export async function deedsOf(feature) {
  const { actions, types } = await actionsOf(feature);
  const deeds = { plain: [], ofRow: [], asking: [], types };
  for (const { name, about, type } of actions) {
    const fields = fieldsOf(type, types);
    if (fields === null) continue;
    const needs = fields.filter(({ type: of }) => of.kind !== 'optional');
    const [first] = fields;
    const isOfRow = first?.name === 'id';
    const rest = needs.filter((field) => field !== first || !isOfRow);
    const deed = { name, about, needs: rest };
    if (rest.some(({ type: of }) => !simple.has(of.kind)) || rest.length > askedMax) continue;
    if (isOfRow) deeds.ofRow.push(deed);
    else (rest.length === 0 ? deeds.plain : deeds.asking).push(deed);
    // What is named by a text can be named by anybody.
    if (isOfRow && rest.length === 0 && first.type.kind === 'string') deeds.asking.push({ ...deed, needs: [first] });
  }
  return deeds;
}

// The fields of an action that a person says, or null where it is no record.
function fieldsOf(type, types) {
  if (type.kind === 'optional') return fieldsOf(type.of, types);
  if (type.kind === 'named') return types.has(type.name) ? fieldsOf(types.get(type.name), types) : null;
  return type.kind === 'record' ? type.fields.filter(({ isFilledIn }) => !isFilledIn) : null;
}
