"""A prompt in Spanish, French or German as its words of structure and of work are in English: "wo liegt unser build"
-> "where lies our build". What layer 0 and the floor know of prompts is closed-class words, which are few in any
language. Loaded for such prompts only; knows no grammar."""

from agentmemory.text import folded

MOST_WORDS = 7  # of one expression
#: what an order in Spanish may carry: "haceme", "pasámelo"
CLITICS = ((), (), ("selo", "sela", "melo", "mela", "me", "lo", "la", "le", "nos", "los", "las", "les"))
AROUND = "\"'`,;:!?()[]{}<>….¿¡«»„“”"  # what may stand around a word
UNACCENTED = 0.9  # of a word, where it is typed without its accents
#: endings by which a longer verb tells how things were ("validait", "firmaban"); German has none that are no others'
PAST = (
    (),
    tuple(f"{letter}{end}" for letter in "bcdghilmnpstuvxyz" for end in ("ait", "aient")),
    ("aba", "aban", "ábamos", "abamos"),
)
PAST_FROM = 6  # letters
LONGEST = 60  # letters of a token; what is longer is no word of a language

#: for each language of `text.STRUCTURE`, in its order: what is said in English, and how; "_" joins the words of one
#: expression. What is written with its accents is another word without them ("würde", "wurde").
TABLES = (
    """the der die das dem den des | a ein eine einen einem einer eines | not nicht | no kein keine keinen keinem
    keiner nein | our unser unsere unserem unseren unserer unseres | we wir | us uns | i ich | me mich mir | my mein
    meine meinem meinen meiner | one man | you du | it es | he er | they sie | is ist wird gilt geht | are sind
    werden gelten gehen liegen | was war wurde galt hiess lag lief ging kostete gab | were waren wurden galten lagen
    liefen gingen | would würde würden | be sein | been gewesen | has hat | have haben habe habt | had hatte hatten
    | can kann können kannst | could könnte könnten | must muss müssen musst | should soll sollen sollte sollten |
    may darf dürfen darfst mai | what was womit worauf wofür wovon worin | who wer wen wem | where wo wohin woher |
    when wann | why warum wieso weshalb | how wie | how_much wieviel wie_viel wie_hoch | how_many wie_viele |
    how_long wie_lang wie_lange | here hier | there da dort | which welche welcher welches welchen welchem | now
    jetzt nun gerade aktuell derzeit momentan | today heute | yesterday gestern | still immer_noch noch_immer noch |
    another noch_ein noch_eine noch_einen | not_yet noch_nicht | before vor vorher bevor zuvor früher davor | since
    seit | after nach nachdem danach | then dann | back_then damals | at_the_beginning am_anfang zu_beginn anfangs
    anfänglich | originally ursprünglich | first zuerst erste ersten erster erstes | old alte alten alter altes |
    last letzte letzten letzter letztes letztem | new neu neue neuen neuer neues | every jede jeden jedem jeder
    jedes | all alle allen alles | always immer | never nie niemals | only nur | also auch | and und | or oder | but
    aber | if wenn falls ob | because weil denn | that dass | than als | in in im ins | on an am auf | at bei beim
    um | to zu zum zur | for für | with mit | without ohne | from von vom aus | by durch | about über | between
    zwischen | until bis | again wieder nochmal | please bitte | just mal | day tag | week woche | month monat
    monaten | year jahr | ago vor_einem vor_einer | history verlauf | changed geändert | january januar | february
    februar | march märz | june juni | july juli | october oktober | december dezember | steps schritte schritten |
    step schritt | step_by_step schritt_für_schritt | order reihenfolge | procedure ablauf vorgehen vorgehensweise
    prozedere | checklist checkliste | walkthrough anleitung | what_has_to_be_done was_muss_alles was_ist_alles
    was_müssen_wir_alles was_alles | what_is_the_procedure wie_gehen_wir_vor wie_gehe_ich_vor wie_geht_man_vor |
    in_order der_reihe_nach | end_to_end von_anfang_bis_ende | add füg füge ergänz ergänze | build bau baue einbauen
    | write schreib schreibe schreiben formulier formuliere | make mach mache machen | create erstell erstelle leg
    lege | change änder ändere | remove lösch lösche entfern entferne entfernen | rename benenn benenne umbenennen |
    move verschieb verschiebe verschieben | fix beheb behebe fixe korrigier korrigiere reparier repariere beheben |
    check prüf prüfe schau | run starte führ führe | show zeig zeige | give gib nenn nenne | find such suche |
    program programmier programmiere | implement implementier implementiere | document dokumentier dokumentiere |
    update aktualisier aktualisiere | send schick schicke | remind erinner erinnere | explain erklär erkläre |
    translate übersetz übersetze | clean räum räume | set stell stelle setz setze | deploy deploye | push pushe |
    commit committe | merge merge | tell sag sage | poem gedicht | synonym anderes_wort | the_difference
    der_unterschied | example_of beispiel_für | what_does was_bedeutet was_heißt""",
    """the le la les l | a un une | not pas | no non aucun aucune | our notre nos | we nous on | i je j | me moi | my
    mon ma mes | you tu vous | it il ça elle | they ils elles | is est | it_is c_est | are sont | is_there y_a_t_il
    | was était étais fut c_était valait coûtait allait | were étaient allaient | be être | been été | has a | have
    ai avons avez ont as | had avait avaient avais | can peux peut peuvent pouvez | could pourrait pourrais | must
    dois doit devons doivent devez | should devrait devrais | what quoi quel quelle quels quelles qu_est_ce_que
    qu_est_ce_qu | who qui | where où | why pourquoi | when quand | how comment | how_much combien | how_many
    combien_de combien_d | how_long combien_de_temps | which lequel laquelle lesquels | here ici | there là | now
    maintenant actuellement | today aujourd_hui | yesterday hier | still encore est_toujours est_ce_toujours |
    before avant auparavant autrefois | since depuis | after après | then alors puis ensuite | back_then à_l_époque
    à_l_epoque | at_the_beginning au_début au_départ | originally à_l_origine | first premier première d_abord | old
    ancien ancienne anciens anciennes vieux vieille | last dernier dernière | new nouveau nouvelle nouveaux
    nouvelles | every chaque | all tous toutes tout toute | always toujours | never jamais | only seulement juste |
    also aussi | and et | or ou | but mais | if si | because parce_que parce_qu | that que qu | in dans en | on sur
    | at chez à | to au aux vers | for pour | with avec | without sans | of de du des d | by par | between entre |
    until jusqu | please stp svp s_il_te_plaît | day jour | week semaine | month mois | year an année | history
    historique | changed changé | january janvier | february février | march mars | april avril | may mai | june
    juin | july juillet | august août | september septembre | october octobre | november novembre | december
    décembre | steps étapes | step étape | step_by_step pas_à_pas étape_par_étape | which_order quel_ordre |
    in_order dans_l_ordre | procedure procédure marche_à_suivre | what_has_to_be_done qu_est_ce_qu_il_faut_faire
    que_faut_il_faire tout_ce_qu_il_faut il_faut_faire | everything_that tout_ce_que tout_ce_qu | end_to_end
    de_a_à_z du_début_à_la_fin | add ajoute ajouter | build construis construire | write écris écrire rédige | make
    fais faire | create crée créer | generate génère | change change modifie modifier | remove supprime supprimer
    retire enlève | rename renomme renommer | move déplace déplacer | fix corrige corriger répare | check vérifie
    vérifier | run lance lancer exécute | show montre affiche | give donne sors | find trouve cherche | implement
    implémente | document documente | update mets_à_jour | send envoie | remind rappelle redonne | explain explique
    | translate traduis | clean nettoie | set mets mettre | deploy déploie | push pousse | commit commite | merge
    merge fusionne | tell dis | summarize résume | prepare prépare | poem poème | synonym synonyme | the_difference
    la_différence | example_of exemple_de | what_does ça_veut_dire_quoi que_veut_dire que_signifie""",
    """the el la los las lo | a un una | some unos unas | not no | no ningun ninguna | our nuestro nuestra nuestros
    nuestras | we nosotros | us nos | i yo | me me | my mi mis | you vos tu usted | he él | they ellos ellas | is es
    está hay va | are son están van | was era estaba fue iba valía costaba había | were eran estaban fueron iban |
    be ser estar | been sido | has ha tiene | have han tenemos tienen he tengo | had tenía teníamos tenían | we_used
    usábamos | can puede pueden puedes podemos | can_i puedo | could podía podría | must debe deben hay_que
    tiene_que tenemos_que | should debería | what qué | who quién quiénes | where dónde adónde a_dónde |
    when cuándo | why por_qué | how cómo | how_much cuánto cuánta | how_many cuántos cuántas | which cuál cuáles |
    here acá aquí | there ahí allí | now ahora actualmente | today hoy | yesterday ayer | still todavía aún sigue
    siguen | before antes anteriormente | from desde | after después | then entonces luego | back_then
    en_aquel_entonces | at_the_beginning al_principio al_comienzo al_inicio | originally originalmente | first
    primero primera primer | old viejo vieja viejos viejas antiguo antigua | last último última | last_year
    el_año_pasado | new nuevo nueva nuevos nuevas | every cada | all todos todas todo toda | always siempre | never
    nunca jamas | only sólo | also también | and y | or o | but pero | if si | because porque | in en | of de del |
    to a al | for para por | with con | without sin | between entre | until hasta | again otra_vez de_nuevo | please
    por_favor porfa | day día | week semana | month mes meses | year año | make haz hacé hacer armá armar | history
    historial | changed cambió | january enero | february febrero | march marzo | april abril | may mayo | june
    junio | july julio | august agosto | september septiembre | october octubre | november noviembre | december
    diciembre | steps pasos | step paso | step_by_step paso_a_paso | which_order qué_orden | in_order en_orden
    por_orden | procedure procedimiento | what_has_to_be_done qué_hay_que_hacer | everything_that todo_lo_que |
    end_to_end de_principio_a_fin de_punta_a_punta | add añade añadí agrega agregar sumá | build construye construí
    | write escribe escribí escribir redacta | create creá crear | generate genera | change cambiá cambiar modifica
    | remove borrá borrar quitá quitar elimina sacá | rename renombrá | move mueve mové | fix arreglá arreglar
    corrige corregí | check revisá comprueba fijate mirá | run ejecuta corré lanzá | show muestra mostrá | give da
    dame pasá | find buscá | program programá | implement implementá | document documentá | update actualizá | send
    mandá envía | remind recordá recuerda | explain explicá | translate traduce traducí | clean limpiá | set pon
    poné | deploy despliega desplegá deployá | push sube subí pusheá | commit commiteá | merge mergeá | tell dime
    decí contá | poem poema | synonym sinónimo | the_difference la_diferencia | example_of ejemplo_de | what_does
    qué_significa""",
)


def language(text: str) -> int:
    """The place of the language whose table knows most of a text."""
    said = [word for _, word, _ in _pieces(text.lower())]
    return max(range(len(TABLES)), key=lambda place: sum([_known(word, place) for word in said]))


def in_english(text: str, place: int) -> str:
    """The text in lower case with what the table of its language holds in English."""
    return "\n".join([_line(_pieces(line), place) for line in text.lower().split("\n")])


def _known(word: str, place: int) -> float:
    """How much a word tells a language."""
    if word in (known := _table(place)):
        return 1.0
    return UNACCENTED * (folded(word) in known or bool(_ordered(word, place)))


def _line(pieces: "list[tuple[str, str, str]]", place: int) -> str:
    known, past = _table(place), PAST[place]
    out: list[str] = []
    at = 0
    while at < len(pieces):
        found = ((n, said) for n in range(MOST_WORDS, 0, -1) if (said := _said(_key(pieces[at : at + n]), known)))
        length, said = next(found, (1, ""))
        before, word, _ = pieces[at]
        if not said and len(word) >= PAST_FROM and word.endswith(past):
            said = f"was {word}"
        said = said or (not out and _ordered(word, place)) or word
        out.append(f"{before}{said}{pieces[min(at + length, len(pieces)) - 1][2]}")
        at += length
    return " ".join(out)


def _pieces(text: str) -> "list[tuple[str, str, str]]":
    """Each word with what stands before and behind it; what is no word, or a name of code, is one piece."""
    out: list[tuple[str, str, str]] = []
    for token in text.split():
        bare = token.strip(AROUND)
        parts = bare.replace("’", "'").replace("-", "'").split("'")
        if not bare or len(bare) > LONGEST or not all(part.isalpha() for part in parts):
            out.append(("", token, ""))
            continue
        start = token.index(bare)
        ends = [""] * (len(parts) - 1)
        out += zip([token[:start], *ends], parts, [*ends, token[start + len(bare) :]])
    return out


def _key(pieces: "list[tuple[str, str, str]]") -> str:
    """What is looked up; "" where something stands between the words."""
    if any(behind for _, _, behind in pieces[:-1]) or any(before for before, _, _ in pieces[1:]):
        return ""
    return "_".join([word for _, word, _ in pieces])


def _said(key: str, known: "dict[str, str]") -> str:
    return known.get(key) or known.get(folded(key), "")


def _ordered(word: str, place: int) -> str:
    """The order in English that a word with a pronoun at its end gives, "" else."""
    plain, known = folded(word), _table(place)
    verbs = (known.get(plain[: -len(clitic)], "") for clitic in CLITICS[place] if plain.endswith(clitic))
    return next(filter(None, verbs), "")


_TABLES: "dict[int, dict[str, str]]" = {}


def _table(tongue: int) -> "dict[str, str]":
    """How something is said -> what that is in English."""
    if tongue not in _TABLES:
        found: dict[str, str] = {}
        for row in TABLES[tongue].split("|"):
            english, *said = row.split()
            found.update(dict.fromkeys(said, english.replace("_", " ")))
        for each, english in list(found.items()):
            found.setdefault(folded(each), english)
        _TABLES[tongue] = found
    return _TABLES[tongue]
