// The TypeScript type of a scenario, from the list of fields that the core describes.

/** @typedef {{ path: string, type: string, unit: string | null, min: number | null, max: number | null, options: string[], default: string, help: string }} Field */
/** @typedef {{ field?: Field, children: Map<string, Node> }} Node */

const literals = (/** @type {string[]} */ options) => options.map((option) => JSON.stringify(option)).join(" | ");

/** @param {Field} field */
function own(field) {
  const { type, options } = field;
  if (type === "array") return [options.length ? `(${literals(options)})[]` : "number[]"];
  if (options.length) return [literals(options)];
  if (type === "object") return [];
  return [type === "integer" ? "number" : type];
}

/** @param {Field} field */
function comment({ help, unit, min, max, default: fallback }) {
  const notes = [help, unit && `Unit: ${unit}.`, max && `From ${min} to ${max}.`, fallback && `Default: ${fallback}.`];
  return notes.filter(Boolean).join(" ").replaceAll("*/", "*\\/");
}

/** @param {Node} node @param {string} indent @returns {string} */
function render({ field, children }, indent) {
  const types = field ? own(field) : [];
  if (children.size) {
    const inner = `${indent}  `;
    const lines = [...children].map(([key, child]) => {
      const text = child.field ? comment(child.field) : "";
      return `${text ? `${inner}/** ${text} */\n` : ""}${inner}${key}?: ${render(child, inner)};\n`;
    });
    types.push(`{\n${lines.join("")}${indent}}`);
  } else if (field?.type === "object" || field?.path === "/model") types.push("Record<string, unknown>");
  return types.join(" | ");
}

/** @param {Field[]} fields */
export function scenarioType(fields) {
  /** @type {Node} */
  const root = { children: new Map() };
  for (const field of fields) {
    let node = root;
    for (const key of field.path.split("/").slice(1)) {
      if (!node.children.has(key)) node.children.set(key, { children: new Map() });
      node = /** @type {Node} */ (node.children.get(key));
    }
    node.field = field;
  }
  return render(root, "");
}
