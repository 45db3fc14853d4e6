/** Help of the commands for teams, in Chinese, by the English text. */
export const TEAM_HELP: Readonly<Record<string, string>> = {
  'serve a team from the database of $CREWAGENT_DATABASE_URL; see "crewagent team"':
    '用 $CREWAGENT_DATABASE_URL 的数据库为团队提供服务；参见 crewagent team',
  'serve a team from this PostgreSQL database': '用此 PostgreSQL 数据库为团队提供服务',
  'with a team: the address for people, such as https://crew.example.com':
    '用于团队：供人访问的地址，例如 https://crew.example.com',
  'with a team: how many proxies of yours are in front of it': '用于团队：前面有多少层你自己的代理',
  'execute the runs of a team until it is stopped': '执行团队的运行，直到被停止',
  'the PostgreSQL database of the team (default: $CREWAGENT_DATABASE_URL)':
    '团队的 PostgreSQL 数据库（默认：$CREWAGENT_DATABASE_URL）',
  'how many runs at once': '同时执行多少个运行',
  'labels of this worker, such as gpu,eu': '此工作进程的标签，例如 gpu,eu',
  'how it reports: text, or json for a log collector': '日志格式：text，或供日志系统收集的 json',
  'with a team: how it reports: text, or json for a log collector':
    '用于团队：日志格式，text 或供日志系统收集的 json',
  'show the workers, and what waits for them': '显示工作进程，以及等待它们的任务',
  'set up a team: one address, one database, many workers': '搭建团队：一个地址、一个数据库、多个工作进程',
  'create or update the tables, and the first administrator': '创建或更新数据表，以及第一位管理员',
  'encrypt all secrets with the first key of $CREWAGENT_SECRET_KEY':
    '用 $CREWAGENT_SECRET_KEY 的第一个密钥加密所有机密',
  'the first administrator, who gets a link to sign in': '第一位管理员，会收到登录链接',
  'the name of the administrator': '管理员的姓名',
  'the address of the server for people': '供人访问的服务地址',
  'write a compose file and Kubernetes manifests to this folder':
    '将 compose 文件和 Kubernetes 清单写入此文件夹',
  'try it on this machine: a database of its own, a server and a worker':
    '在本机试用：自带数据库、服务和工作进程',
  'move a run to a team server, where it goes on': '将运行移到团队服务器并在那里继续',
  'the address of the team server': '团队服务器的地址',
  'the project there, by name or id (default: the one with the same name)':
    '服务器上的项目，名称或 id（默认：同名项目）',
  'also send files of the project that the run did not change': '同时发送运行未改动的项目文件',
  'get a run back from a team server, or a copy of one': '从团队服务器取回运行或获取其副本',
  'the project folder of a run that is not here yet (default: this folder)':
    '本机尚没有的运行所用的项目文件夹（默认：当前文件夹）',
  'also get files of the project that the run did not change': '同时获取运行未改动的项目文件',
  'files that were changed here stay as they are': '在本机改动过的文件保持不变',
  'show what the models cost': '显示模型的费用',
  'one row for each': '按此分行',
  'from this day on, such as 2026-01-31 (default: 30 days)': '从这一天起，例如 2026-01-31（默认：30 天）',
  'show or set what people and projects may spend': '显示或设置成员和项目可以花费多少',
  'of this person': '此成员的配额',
  'of this project, by name or id': '此项目的配额，名称或 id',
  'of each person who has none': '没有单独配额的每位成员',
  'limit of tokens': 'token 上限',
  'limit of cost in US dollars': '费用上限（美元）',
  'a period of UTC': '周期（UTC）',
  'remove the limits': '取消限制',
  'the port to listen on (default: a free one)': '监听的端口（默认：空闲端口）',
};
