import { environmentName, type SettingKey, settingKeys, settings } from '../src/config/schema.ts'
import { expectedRange, type Setting } from '../src/config/setting.ts'

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
    'This page is made from `src/config/schema.ts` by `npm run docs`.',
    [
      'Settings come from four places; the later wins: the defaults below, the file `erace.config.ts`, `.js` or `.json` in the',
      'working folder (or the one named by `--config`), the environment, the options of the command line.',
    ].join('\n'),
    [
      "A file exports (or, as JSON, holds) one object: `{ crawl: { delay: '2s', perHost: 2 }, network: { allow: ['10.0.0.0/8'] } }`.",
      'The environment name of a setting is its key in capitals with `ERACE_` in front and `_` for the dot:',
      `\`crawl.delay\` is \`${environmentName('crawl.delay')}\`, \`schedule.minEvery\` is \`${environmentName('schedule.minEvery')}\`. Lists are separated by commas there.`,
    ].join('\n'),
    [
      'Durations are milliseconds, or a number with `ms`, `s`, `m`, `h` or `d`. Sizes are bytes, or a number with `KB`, `MB`, `GB`',
      '(powers of 1000) or `KiB`, `MiB`, `GiB` (powers of 1024). Unknown keys and wrong values are all reported together, with exit code 2.',
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
  const values = Array.isArray(setting.default) ? setting.default : [setting.default]
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
      return setting.expected
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
