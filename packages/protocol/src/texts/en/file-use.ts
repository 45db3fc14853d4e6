/** What follows from the files that a run read and wrote, as the page and the terminal say it. */
export const fileUse = {
  stale: {
    none: 'Everything is up to date.',
    count_one: '1 step is out of date',
    count_other: '{{count}} steps are out of date',
    badge: 'Out of date',
    changed: '{{path}} has changed since this step read it',
    removed: '{{path}} was removed since this step read it',
    depends: 'It read {{path}}, which step {{step}} wrote',
    step: 'Version {{version}} of the package has another text for this step',
    results: 'Results: {{paths}}',
  },
  next: {
    title: 'What happens next',
    completed: 'The run is complete.',
    open: 'Another process has this run open. It goes on there.',
    step: 'The run goes on at {{step}}.',
    question: 'First you are asked: {{text}}',
    approval: 'First you decide: {{text}}',
    unknown_one:
      'This call was cut off; nobody knows whether it took effect. It is not repeated, and the model is told:',
    unknown_other:
      '{{count}} calls were cut off; nobody knows whether they took effect. They are not repeated, and the model is told:',
    harmless: 'only reads',
    changed_one: 'Changed by somebody else meanwhile:',
    changed_other: '{{count}} files were changed by somebody else meanwhile:',
    gone: 'removed',
    request: 'The next request has about {{tokens}} of {{window}} tokens.',
  },
};
