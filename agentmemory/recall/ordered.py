"""Does a prompt order work on one's own project, as one orders it of one's own agent? "rename the module", "write a
test for the parser", "añade un aviso". Most orders change something that is there; what is to be made may be of
nobody's project ("write a prime sieve"), unless it is a piece of one. Knows words of work and closed-class words of
four languages, as `text.words` folds them."""

from agentmemory.recall.structure import LEADING, TO_WORK, VERBS
from agentmemory.text import stem, words

#: verbs by which also something of no project is ordered: it has to be a piece of one, or a definite thing
MAKING = frozenset(
    "write make give create build draft draw design sketch convert turn do generate translate compose calculate"
    " compute plot count find list get code program check review correct test put send help format describe escribe"
    " escribir crea crear haz hacer hazme genera generar dame corrige corregir revisa revisar comprueba prepara ecris"
    " ecrire cree creer fais faire genere generer donne redige corriger verifie prepare schreib schreibe bau baue mach"
    " mache erstell erstelle leg lege generiere gib korrigiere pruf prufe schreiben bauen machen erstellen".split()
)
#: and those that change what is there, beside the verbs of `structure`
CHANGING = frozenset(
    "delete drop support cache document simplify inline expose validate paginate throttle rework wrap anade anadir"
    " agrega agregar arregla arreglar cambia cambiar quita quitar borra borrar elimina eliminar renombra renombrar"
    " mueve mover refactoriza refactorizar actualiza actualizar instala instalar ejecuta ejecutar lanza lanzar sube"
    " subir despliega desplegar limpia limpiar separa separar extrae extraer implementa implementar migra migrar"
    " fusiona integra pon poner mete ajoute ajouter repare modifie modifier enleve enlever retire retirer supprime"
    " supprimer renomme renommer deplace deplacer refactorise refactoriser mets mettre installe installer lance lancer"
    " pousse pousser deploie deployer nettoie nettoyer separe separer extrais implemente implementer migre migrer"
    " fusionne branche fuge fug erganz erganze beheb behebe fix fixe ander andere entfern entferne losch losche benenn"
    " benenne verschieb verschiebe raum raume aktualisier aktualisiere installier installiere fuhr fuhre starte push"
    " pushe deploye extrahiere implementiere migriere merge ersetz ersetze stell stelle lass lasse kommentiere zieh"
    " einbauen hinzufugen umbenennen verschieben entfernen beheben aktualisieren".split()
)
#: to show it in the product, unless somebody is to be shown
SHOWING = frozenset("show display hide zeig zeige blende affiche muestra montre".split())
SOMEBODY = frozenset("me us mir uns moi nous nos how".split())
POLITE = frozenset(
    "ahora por favor porfa vale y entonces luego tambien puedes podrias maintenant alors et puis stp svp peux tu"
    " pourrais vous pouvez aussi jetzt bitte und dann mal noch auch kannst konntest du".split()
)
VERB_LAST = frozenset(("kannst", "konntest"))  # "kannst du den Export einbauen"
#: pieces of which a project is made
PIECES = frozenset(
    "test tests spec specs view views page pages component components endpoint endpoints route routes handler"
    " handlers controller controllers migration migrations job jobs form forms screen screens module modules helper"
    " helpers button buttons docs readme changelog commit commits branch branches pr fixture fixtures feature features"
    " middleware importer exporter dialog modal sidebar footer package dependency dependencies config pipeline ci"
    " seeder prueba pruebas pagina paginas vista vistas componente componentes boton ruta rutas controlador migracion"
    " formulario pantalla modulo rama push vue vues composant composants bouton controleur formulaire ecran seite"
    " seiten ansicht komponente komponenten knopf formular modul deploy merge".split()
)
DEFINITE = frozenset("the our its el los las nuestro nuestra le les notre den das dem unser unsere".split())
#: whoever orders one of these has a text at hand
PROSE = frozenset(
    "sentence sentences paragraph text email mail letter essay poem story phrase word words frase texto carta correo"
    " poema phrases texte lettre poeme satz satze wort gedicht brief".split()
)
QUOTES = frozenset('"“”«»')


def own_work(said: str, foreign: "frozenset[str]") -> bool:
    """Whether a prompt orders work on one's own project; *foreign*: words of which one makes nobody's project."""
    raw = words(said)
    heard = set(words(" ".join(token for token in said.split() if "." not in token[1:-1])))  # "chart.js" is a package
    if not heard.isdisjoint(foreign) or not heard.isdisjoint(PROSE):
        return False
    start = next((at for at, word in enumerate(raw) if word not in LEADING and word not in POLITE), len(raw))
    if start == len(raw) or (said.rstrip().endswith("?") and not start):
        return False
    verb, made = raw[start], raw[start + 1 :]
    if not VERB_LAST.isdisjoint(raw[:start]):
        verb, made = raw[-1], raw[start:-1]
    if verb in MAKING:
        definite = made[:1] != [] and made[0] in DEFINITE and QUOTES.isdisjoint(said)
        return definite or not PIECES.isdisjoint(made)
    if verb in SHOWING:
        return len(made) > 1 and SOMEBODY.isdisjoint(made[:1])
    return verb in CHANGING or verb in TO_WORK or stem(verb) in VERBS
