import { canBeXml, escapeText } from './xml-text.ts'

const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/**
 * Attributes with free texts, a blank before each; those that are null are left out. White space comes back as it was.
 * Characters that XML can't hold are shown as U+FFFD: texts that may have some belong into elements.
 */
export function attributes(values: Readonly<Record<string, string | number | boolean | null>>): string {
  let list = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) list += ` ${name}="${attributeText(String(value))}"`
  }
  return list
}

function attributeText(text: string): string {
  const sound = canBeXml(text) ? text : text.replace(forbidden, '\ufffd')
  return escapeText(sound).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')
}
