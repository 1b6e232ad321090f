// Writes the pages under docs/ that are generated from tables in the source: `npm run docs`.
import { readFile, writeFile } from 'node:fs/promises'
import { environmentName, type SettingKey, settingKeys, settings } from '../src/config/schema.ts'
import { expectedRange, nameserversExpected, type Setting } from '../src/config/setting.ts'
import { errorCodes } from '../src/core/errors.ts'
import { agents } from '../src/delivery/registry.ts'

/** The text of `docs/config.md`. */
export function configPage(): string {
  const sections = Map.groupBy(settingKeys, (key) => (key.includes('.') ? key.split('.')[0]! : key))
  const tables = [...sections].map(([section, keys]) =>
    [`## ${section}`, '', '| key | default | allowed | meaning |', '| --- | --- | --- | --- |', ...keys.map(row)].join(
      '\n',
    ),
  )
  return `${[
    '# Configuration',
    'Generated from `src/config/schema.ts` by `npm run docs`.',
    [
      'Settings come from four sources; later ones override earlier ones: the defaults below, the file `erace.config.ts`, `.js` or',
      '`.json` in the working directory (or the one given by `--config`), the environment, and command-line options.',
    ].join('\n'),
    [
      "A file exports (or, as JSON, contains) one object: `{ crawl: { delay: '2s', perHost: 2 }, network: { allow: ['10.0.0.0/8'] } }`.",
      'The environment variable of a setting is its key in upper case, prefixed with `ERACE_`, with `_` for the dot:',
      `\`crawl.delay\` is \`${environmentName('crawl.delay')}\`, \`schedule.minEvery\` is \`${environmentName('schedule.minEvery')}\`. Separate list items with commas.`,
    ].join('\n'),
    [
      'Durations are milliseconds, or a number with `ms`, `s`, `m`, `h` or `d`. Sizes are bytes, or a number with `KB`, `MB`, `GB`',
      '(powers of 1000) or `KiB`, `MiB`, `GiB` (powers of 1024). Unknown keys and invalid values are all reported at once, with exit code 2.',
    ].join('\n'),
    ...tables,
  ].join('\n\n')}\n`
}

function row(key: SettingKey): string {
  const setting: Setting = settings[key]
  const secret = setting.secret ? ' Secret: never printed.' : ''
  const cells = [`\`${key}\``, defaultOf(setting), allowed(setting), setting.about + secret]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function defaultOf(setting: Setting): string {
  const values = Array.isArray(setting.default) ? setting.default : setting.default === null ? [] : [setting.default]
  return values.length === 0 ? 'none' : values.map((value) => `\`${value}\``).join(', ')
}

function allowed(setting: Setting): string {
  switch (setting.kind) {
    case 'boolean':
      return '`true`, `false`'
    case 'choice':
      return setting.choices.map((choice) => `\`${choice}\``).join(', ')
    case 'string':
    case 'list':
    case 'part':
    case 'parts':
      return setting.expected
    case 'nameservers':
      return nameserversExpected
    case 'filter':
      return 'a tree of conditions'
    case 'cidrs':
      return 'a list of networks in CIDR notation'
    case 'retention':
      return '`forever`, a duration, or age, versions and size'
    case 'sources':
      return 'a list of rules'
    default:
      return expectedRange(setting).replace(/ \(such as .*\)$/, '')
  }
}

const retryWords = { never: 'no', later: 'yes, later' } as const

/** The text of `docs/errors.md`. */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { retry, means }]) => `| \`${code}\` | ${means.replaceAll('|', '\\|')} | ${retryWords[retry]} |`,
  )
  return `${[
    '# Errors',
    'Generated from `src/core/errors.ts` by `npm run docs`.',
    [
      'Every failure has one of these codes: in log lines, in crawl statistics, and in `{ "error": { "code", "message" } }` when a',
      'command runs with `--json`. The last column says whether a retry may succeed.',
    ].join('\n'),
    ['| code | meaning | retry |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n')}\n`
}

const kindsStart = '<!-- kinds: generated from src/delivery/registry.ts by npm run docs -->\n'
const kindsEnd = '<!-- end of kinds -->'

/** `docs/delivery.md` with its table of channels generated from the registry. */
export function deliveryPage(page: string): string {
  const [start, end] = [page.indexOf(kindsStart) + kindsStart.length, page.indexOf(kindsEnd)]
  const rows = agents.map(({ kind, label, about, settings }) => {
    const names = settings
      .filter(({ isHidden }) => isHidden !== true)
      .map(
        ({ name, type, isRequired }) =>
          `\`${name}\`${type === 'secret' ? ' 🔑' : ''}${isRequired === true ? ' *' : ''}`,
      )
    return `| \`${kind}\` | ${label} | ${names.join(', ')} | ${about.replaceAll('|', '\\|')} |`
  })
  const head = ['| kind | name | settings (* required) | what it does |', '| --- | --- | --- | --- |']
  return `${page.slice(0, start)}${[...head, ...rows].join('\n')}\n${page.slice(end)}`
}

if (import.meta.main) {
  const pageOf = (name: string): URL => new URL(`../docs/${name}`, import.meta.url)
  const delivery = deliveryPage(await readFile(pageOf('delivery.md'), 'utf8'))
  for (const [name, text] of Object.entries({
    ...{ 'config.md': configPage(), 'errors.md': errorsPage(), 'delivery.md': delivery },
  }))
    await writeFile(pageOf(name), text)
}
