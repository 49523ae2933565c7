import { stem } from "./stem.ts";

/**
 * Words that stand for each other when somebody describes what a tool should do, one group in a line. Kept to everyday
 * words: what a catalog calls its own things it says in its descriptions.
 */
const groups = `
create make new add file open register
add put append insert attach
delete remove erase drop discard
cancel end stop abort terminate
clean prune free unused
search find look locate where
list show display agenda
read get fetch view content say
send write tell deliver
reply answer respond
forward pass
post publish tell announce
update change modify move set edit adjust
save export store
reserve book reservation
download fetch get
run execute start launch
restart reboot rerun again
start up bring
join merge combine unite concatenate
convert turn transform change
cut trim crop remove
draw plot generate picture
check verify test inspect
mute silence
explain why slow plan
schedule later tomorrow plan
summarise summarize summary gist brief shorten
translate translation language french german spanish english korean
print copy
restore recover
roll rollback revert previous back undo
scale replica
approve accept approval
email mail message inbox
appointment meeting event calendar agenda
invite invitation
free available availability slot
room conference
office away vacation
newsletter mailing subscribe unsubscribe
draft prepare
filter rule automatically automatic
channel slack
dm direct
issue bug ticket
pull pr merge
workflow ci action pipeline
repository repo repositories
organisation organization
database db postgres mysql sql warehouse
select query sql
statement sql
price value amount
row line record
column field
migration migrate
cache cached redis session invalidate
container docker
image picture photo
compose stack
pod kubernetes cluster k8s
deployment kubernetes deploy
bucket s3 object
link url address
doc document
spreadsheet sheet excel
order sort
expense receipt reimbursement claim
invoice bill charge
refund money payback
payment paid pay
discount coupon voucher
currency dollar euro won yen exchange money
tax vat
subscription subscribe
contact customer person
phone telephone call talk
duplicate repeat double
deal pipeline stage
support zendesk helpdesk
survey satisfy satisfaction questionnaire
weather rain cold warm snow forecast
forecast weekend tomorrow
current today now
flight plane fly airport
hotel accommodation night
train railway
drive car route direction
place near nearby restaurant pharmacy
delay late status
resize pixel wide width height small
scan ocr
text words
transcribe speech audio recording mp3 interview down
aloud speak voice speech
screenshot look capture
pdf paper
docx word
typo spell spelling grammar
presentation slide
metric latency p99 rate
log output
alert alarm alerting firing
page oncall incident
down outage uptime
website site
exception error thrown stack
ip dns address
record dns
own register owner
certificate tls ssl
block deny firewall
secret key credential password token
vulnerability cve
leave vacation holiday sick
day vacation leave
left balance remain
manager boss team
salary payslip wage
interview candidate
onboard employee colleague
light lamp
thermostat heat degree temperature
music song jazz play
vacuum cleaner robot
wake alarm timer
remind reminder todo
battery charge
dataset csv data
train learn
accuracy accurate evaluate
predict forecast
notebook ipynb jupyter
graph plot chart
significant significance statistical
difference diff
share access permission see allow let
read-only read view see
spam junk
star favourite important
archive store old
latest last recent newest
reaction emoji thumb like
diff change difference compare
formula sum total average calculate compute
format bold italic style colour color font
comment note remark leave
ticket jira task story
complain complaint problem support
problem error issue trouble fault
video movie film clip mp4
compress codec resolution encode shrink small
dashboard board panel
job position vacancy opening role hire recruit
applicant candidate apply applied
developer engineer programmer
power electricity energy consumption
use usage consumption consume
sign signature
page website
network internet connection
host server machine
port network
disk storage space
backup dump copy
load import restore read
compare diff versus
count number
percent rate ratio
chart diagram graph
structure organisation chart hierarchy
review feedback rating assessment
salary pay payslip
trip travel journey
bus transit transport
taxi car ride
restaurant eat food dinner lunch
temperature hot cold degree celsius
volume loud quiet
camera see snapshot
door gate garage
clean vacuum sweep
heat warm thermostat
song track artist playlist
alarm wake clock
copy duplicate
merge join match
knowledge base document wiki
similar alike meaning
user person customer people
team group colleague
company business firm
buy purchase order
sell sale
money balance account fund
cost price expensive cheap
account balance
deploy release ship apply rollout
yaml manifest
volume mount
image photo png jpg jpeg webp
audio mp3 wav sound recording
dataset csv table
note memo
password secret credential
replace rotate fresh new
spin start run
crash fail failure broken
slow latency performance
monitor watch observe metric
url link website
short brief
question ask survey
`;

let bySynonym: ReadonlyMap<string, readonly string[]> | undefined;

/** By the stem of a word. */
export function synonymsOf(word: string): readonly string[] {
  return (bySynonym ??= readGroups()).get(word) ?? [];
}

function readGroups(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const group of groups.trim().split("\n")) {
    const words = group.split(" ").map(stem);
    for (const word of words) found.set(word, [...(found.get(word) ?? []), ...words.filter((other) => other !== word)]);
  }
  return found;
}
