import { type Command, type Option, spelling } from '../command.ts'
import { crawlOptions, prepareCrawl } from './crawl.ts'

/** LARM's options and our equivalents. Each of its threads fetches one page at a time, so they are our concurrent requests. */
const larmOptions: readonly Option[] = [
  {
    name: 'start',
    oneDash: true,
    argument: 'URL|@FILE',
    repeatable: true,
    about: 'where to start, or a file with one URL per line',
  },
  {
    name: 'restrictto',
    oneDash: true,
    argument: 'REGEX',
    about: 'crawl only URLs matching this regular expression, as --restrict',
  },
  {
    name: 'threads',
    oneDash: true,
    argument: 'N',
    setting: 'crawl.fetchers',
    about: 'concurrent requests, as --fetchers',
  },
  { name: 'hostresolver', oneDash: true, argument: 'FILE', about: 'rules that map equivalent hosts, as --host-rules' },
]

/** Replaced by LARM's own options. */
const replaced: readonly string[] = ['threads', 'restrict', 'host-rules', 'fetchers']

const options = [...larmOptions, ...crawlOptions.filter(({ name }) => !replaced.includes(name))]

export const command: Command = {
  name: 'larm',
  group: 'Crawl',
  summary: "crawl with LARM's command line: -start, -restrictto, -threads, -hostresolver",
  usage: '-start URL|@FILE',
  options,
  examples: [
    {
      line: "erace larm -start http://example.org/ -restrictto '^http://example\\.org/' -threads 15 -hostresolver hosts.properties",
      about: 'the word larm may be left out',
    },
  ],
  explainUnknown(option) {
    return javaOption.test(option) ? 'an option of Java, not of LARM; leave it out' : undefined
  },
  async prepare(context, errors) {
    const seeds = [...context.options.all('start'), ...context.positionals]
    return prepareCrawl(
      context,
      { seeds, seedPlace: '-start', restrict: 'restrictto', hostRules: 'hostresolver', dashes: '-', options },
      errors,
    )
  },
}

const javaOption = /^-(?:server|client|classpath|cp|jar|X\S*|D\S+)$/

/** Recognises LARM's command line when no command is named. */
export function isLarmOption(arg: string): boolean {
  const word = arg.split('=', 1)[0]
  return larmOptions.some((option) => word === spelling(option))
}
