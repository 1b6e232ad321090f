const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

/** Escapes text for use in elements and quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (sign) => entities.get(sign)!)
}
