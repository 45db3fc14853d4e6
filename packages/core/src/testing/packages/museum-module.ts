/**
 * A module to import and to run: a small museum that plans an exhibit and labels its objects. It has every construct that is
 * frequent in real modules, in our own words.
 *
 * | construct | where |
 * |---|---|
 * | "read fully and follow" a key | `step-01-collect.md` |
 * | keys `nextStepFile`, `outputFile`, tasks in a step's frontmatter | `step-01-collect.md`, `step-03-story.md` |
 * | a step linked in prose | `step-02-look.md` |
 * | configured names in braces, in texts and in paths | all steps, `workflow.md` |
 * | `{{date}}`, also in a path | `exhibit.template.md`, `workflow.yaml` |
 * | a halt, a letter menu, words instead of a letter | `step-03-story.md`, `step-04-rooms.md` |
 * | options that run another file and come back | `step-03-story.md` |
 * | `stepsCompleted` of the written document | `exhibit.template.md`, `step-03-story.md` |
 * | "as discussed", "already loaded" | `step-04-rooms.md` |
 * | a step that only looks and writes nothing | `step-02-look.md` |
 * | a step over 16 KiB | `step-04-rooms.md` |
 * | goal, role, rules and paths in the body of workflow.md | `workflow.md` |
 * | shell, web search, sub-agents, memory | `step-02-look.md`, `iris.agent.yaml` |
 * | triggers with a code and words | `iris.agent.yaml` |
 * | targets `.md`, `.yaml`, an action; paths of an installed module | `iris.agent.yaml` |
 * | items that a compiler adds to every agent | added by the import |
 * | questions of `module.yaml` | `module.yaml` |
 * | YAML that no parser accepts | `step-05-open.md` |
 */
import type { SourceFiles } from '../import-sources.ts';

const EXHIBIT = 'museum/workflows/2-plan/plan-exhibit';
const LABELS = 'museum/workflows/3-make/label-objects';

const LONG_RULES = '- A room has one thought. A visitor who leaves it can say what it was about.\n'.repeat(
  230,
);

export const MUSEUM_MODULE: SourceFiles = {
  'core/module.yaml': `code: core
name: "Base"
user_name:
  prompt: "What is your name?"
  default: "Curator"
  result: "{value}"
communication_language:
  prompt: "Which language shall we use?"
  default: "English"
  result: "{value}"
output_folder:
  prompt: "Where do results go?"
  default: "artifacts"
  result: "{project-root}/{value}"
`,
  'core/tasks/deeper.xml':
    '<task id="deeper">Ask three questions that nobody has asked yet, one at a time.</task>\n',
  'core/workflows/voices/workflow.md':
    '---\nname: voices\ndescription: Several people talk.\n---\n\n# Voices\n\nLet a guard, a child and a donor each say one sentence. Then return.\n',
  'museum/module.yaml': `code: museum
plans:
  prompt: "Where do plans of exhibits go?"
  default: "{output_folder}/plans"
  result: "{project-root}/{value}"
skill_level:
  prompt: "How many exhibits have you made?"
  scope: user
  default: "a few"
  result: "{value}"
  single-select:
    - value: "none"
      label: "This is the first"
    - value: "a few"
      label: "Some"
`,
  'museum/agents/iris.agent.yaml': `agent:
  metadata:
    id: "_bmad/museum/agents/iris.md"
    name: Iris
    title: Curator
    icon: 🏺
    module: museum
    hasSidecar: false
  persona:
    role: Plans exhibits
    identity: Has hung pictures for thirty years.
    communication_style: Short sentences.
    principles: |
      - The object comes first.
  critical_actions:
    - "Remember what the person likes across sessions"
  prompts:
    - id: greet
      content: "Say hello and name one object of the house."
  menu:
    - trigger: PE or fuzzy match on plan-exhibit
      exec: "{project-root}/_bmad/${EXHIBIT}/workflow.md"
      description: "[PE] Plan an exhibit"
    - trigger: LO or fuzzy match on label-objects
      workflow: "{project-root}/_bmad/${LABELS}/workflow.yaml"
      description: "[LO] Label the objects of a room"
    - trigger: GR or fuzzy match on greet
      action: "#greet"
      description: "[GR] Be greeted"
`,
  'museum/data/rooms.csv': 'room,light\nHall,daylight\nCellar,lamps\n',
  [`${EXHIBIT}/workflow.md`]: `---
name: plan-exhibit
description: Plan one exhibit, room by room.
main_config: '{project-root}/_bmad/museum/config.yaml'
---

# Plan an exhibit

**Goal:** a plan that a carpenter can build from. **Your role:** a curator beside another curator.

- One step at a time; a menu waits for {user_name}.
- Speak {communication_language}. Plans go to {plans}.

Read fully and follow \`{project-root}/_bmad/${EXHIBIT}/steps/step-01-collect.md\` to begin.
`,
  [`${EXHIBIT}/exhibit.template.md`]: `---
stepsCompleted: []
---

# Exhibit of {{user_name}}, {{date}}
`,
  [`${EXHIBIT}/steps/step-01-collect.md`]: `---
name: 'step-01-collect'
description: 'Begin the plan'
nextStepFile: './step-02-look.md'
outputFile: '{plans}/exhibit.md'
exhibitTemplate: '../exhibit.template.md'
---

# Step 1: Collect

Greet {user_name} in {communication_language}. Copy {exhibitTemplate} to \`{outputFile}\`.

When the file is there, read fully and follow: {nextStepFile}
`,
  [`${EXHIBIT}/steps/step-02-look.md`]: `---
name: 'step-02-look'
description: 'Look at the rooms'
roomsCSV: '{project-root}/_bmad/museum/data/rooms.csv'
---

# Step 2: Look

This step ONLY looks. It does NOT write to {plans} yet.

Read {roomsCSV}. Search the web for the opening hours of the neighbours; without web search, ask the person. Count the
pictures with \`ls -R\`; without a shell, list the folder. Let a subagent compare the rooms; if there is none, compare them
yourself.

Then load \`./step-03-story.md\` to find the story.
`,
  [`${EXHIBIT}/steps/step-03-story.md`]: `---
name: 'step-03-story'
description: 'Find the story'
nextStepFile: './step-04-rooms.md'
outputFile: '{plans}/exhibit.md'
deeperTask: '{project-root}/_bmad/core/tasks/deeper.xml'
voicesWorkflow: '{project-root}/_bmad/core/workflows/voices/workflow.md'
---

# Step 3: Story

Draft the story of the exhibit in three sentences and show them. Then show this menu:

[A] Ask deeper questions [P] Hear other voices [C] Continue to the rooms

ALWAYS halt and wait for the person.

- IF A: read fully and follow {deeperTask}, then show the menu again
- IF P: read fully and follow {voicesWorkflow}, then show the menu again
- IF C: append the story to {outputFile}, add this step to stepsCompleted in its frontmatter, then read fully and follow {nextStepFile}
- IF anything else: help the person, then show the menu again
`,
  [`${EXHIBIT}/steps/step-04-rooms.md`]: `---
name: 'step-04-rooms'
description: 'Fill the rooms'
nextStepFile: './step-05-open.md'
outputFile: '{plans}/exhibit.md'
---

# Step 4: Rooms

The rooms are already loaded from step 2. Use the story as discussed in step 3, with every wish the person named there.

${LONG_RULES}
Show: [B] Back to the story [C] Continue

HALT and wait for the person.

- IF B: return to \`./step-03-story.md\`
- IF C: append the rooms to {outputFile}, then read fully and follow {nextStepFile}

The last rule of this step: leave one wall empty.
`,
  [`${EXHIBIT}/steps/step-05-open.md`]: `---
name: 'step-05-open'
description: 'The curator\\'s last look'
outputFile: '{plans}/exhibit.md'
---

# Step 5: Open

Save the polished plan to {outputFile}, with this step in its stepsCompleted, and tell {user_name} that the plan is done.
`,
  [`${LABELS}/workflow.yaml`]: `name: label-objects
description: "Write labels for one room"
config_source: "{project-root}/_bmad/museum/config.yaml"
plans: "{config_source}:plans"
date: system-generated
installed_path: "{project-root}/_bmad/${LABELS}"
instructions: "{installed_path}/instructions.xml"
template: "{installed_path}/template.md"
default_output_file: "{plans}/labels-{{room_key}}-{{date}}.md"
`,
  [`${LABELS}/template.md`]: '# Labels\n',
  [`${LABELS}/instructions.xml`]: `<workflow>
  <step n="1" goal="Choose the room">
    <ask>Which room?</ask>
    <action>Set {{room_key}} from the answer</action>
  </step>
  <step n="2" goal="Write the labels">
    <template-output file="{default_output_file}">labels</template-output>
  </step>
</workflow>
`,
};
