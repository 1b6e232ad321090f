/** The frame's message about a choice: the element with its ancestors, and the index of the chosen one. */
export type Picked = { at: number; path: { label: string; selector: string }[] }

const MAX_PATH = 12
const MAX_LABEL = 40
const MAX_SELECTOR = 400

/** Validates the message, although a page can't forge it: it runs no script of its own. Null if it is anything else. */
export function readPicked(data: unknown): Picked | null {
  if (typeof data !== 'object' || data === null) return null
  const { erace, at, path } = data as Record<string, unknown>
  if (erace !== 'picked' || !Array.isArray(path) || path.length === 0 || path.length > MAX_PATH) return null
  const isStep = (step: unknown): step is { label: string; selector: string } =>
    typeof step === 'object' &&
    step !== null &&
    isText((step as { label?: unknown }).label, MAX_LABEL) &&
    isText((step as { selector?: unknown }).selector, MAX_SELECTOR)
  if (!path.every(isStep) || typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at >= path.length) return null
  return { at, path: path.map(({ label, selector }) => ({ label, selector })) }
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= max
}
