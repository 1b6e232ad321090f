const operators = [
  ['solar power', 'both words'],
  ['"solar power"', 'the phrase'],
  ['wind OR sun', 'one of them'],
  ['-advert', 'without this word'],
  ['photo*', 'words that begin so'],
  ['intitle:sun', 'in the title'],
  ['site:example.org', 'on this host or below it'],
  ['after:2026-01-31', 'versions since that day'],
  ['before:2026-01-31', 'versions before that day'],
] as const

export function SearchHelp({ onTry }: { onTry: (query: string) => void }) {
  return (
    <dl className="search-help">
      {operators.map(([example, meaning]) => (
        <div key={example}>
          <dt>
            <button type="button" onClick={() => onTry(example)}>
              <code>{example}</code>
            </button>
          </dt>
          <dd className="soft">{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}
