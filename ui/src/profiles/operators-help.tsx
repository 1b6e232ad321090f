const operators = [
  ['solar power', 'both words, anywhere'],
  ['"solar power"', 'the phrase, word by word'],
  ['-advert', 'not with this word'],
  ['wind OR sun', 'one of them is enough'],
  ['(a OR b) c', 'parentheses group'],
  ['intitle:sun', 'in the title'],
  ['site:example.org', 'on this host or below it'],
  ['/regular.?expression/', 'what the text matches'],
] as const

export function OperatorsHelp() {
  return (
    <details className="profiles-operators">
      <summary>What can be written here</summary>
      <dl>
        {operators.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
